"""How do the systems differ: one against another, tables against people, every measure, k, near misses, parts?"""

from kp_ui.parts import page, systems
from kp_ui.parts.page import Tab

page.tabs(
    "systems_tab",
    {
        "Head to head": Tab(systems.against),
        "Concordance": Tab(systems.concordance, ("k", "gold", "rules")),
        "Measures": Tab(systems.measures),
        "Over k": Tab(systems.over_k, ("k", "gold", "rules")),
        "Near misses": Tab(systems.near_misses, ("k", "gold", "rules")),
        "Parts": Tab(systems.parts),
        "Stability": Tab(systems.stability),
    },
)
