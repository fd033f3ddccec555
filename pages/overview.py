"""Which system is better, and is that certain?"""

from kp_ui import overview, results, streamed

if streamed.is_chosen():
    streamed.overview()
else:
    results.open_page("Overview")
    overview.answer()
    overview.conventions()
