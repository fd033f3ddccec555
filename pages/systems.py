"""How do the systems differ: head to head, by measure, over k, in near misses, and on parts of the data?"""

from kp_ui.parts import page, systems

page.tabs(
    "systems_tab",
    {
        "Head to head": page.Tab(systems.against),
        "Concordance": page.Tab(systems.concordance, ("k", "gold", "conventions")),
        "Measures": page.Tab(systems.measures),
        "Over k": page.Tab(systems.over_k, ("k", "gold", "conventions")),
        "Near misses": page.Tab(systems.near_misses, ("k", "gold", "conventions")),
        "Parts": page.Tab(systems.parts),
        "Stability": page.Tab(systems.stability),
    },
)
