"""How do the systems differ: one against another, tables against people, every measure, k, near misses, parts?"""

from kp_ui import concordance, controls, results, systems

results.open_page("Systems")
controls.tabs(
    "systems_tab",
    {
        "Concordance": concordance.section,
        "A against B": systems.against,
        "Measures": systems.measures,
        "Over k": systems.over_k,
        "Near misses": systems.near_misses,
        "Parts of the data": systems.parts,
        "Stability": systems.stability,
    },
)
