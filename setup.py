"""Put app.py, the pages and the sample data into the wheel, as kp_ui/dashboard: `kpscope app` then needs no project."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["kp_core*", "kp_ui*"]), "kp_ui.dashboard"])
