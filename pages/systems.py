"""How do the systems differ: tables against people, every measure, k, near misses, parts of the data, stability?"""

from kp_ui import concordance, controls, results, systems

results.open_page("Systems")
controls.tabs(
    "systems_tab",
    {
        "Concordance": concordance.section,
        "Measures": systems.measures,
        "Over k": systems.over_k,
        "Near misses": systems.near_misses,
        "Parts of the data": systems.parts,
        "Stability": systems.stability,
    },
)
