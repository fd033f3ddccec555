"""Which system is better, and is that certain?"""

from kp_ui import overview, results, streamed, workspace

if streamed.is_chosen():
    streamed.overview()
elif workspace.all_datasets():
    results.open_page("Overview", every=True)
    overview.datasets()
else:
    results.open_page("Overview")
    overview.answer()
    overview.conventions()
