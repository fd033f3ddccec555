"""Run the app in Streamlit; `app.py` starts this script, and every page runs inside it."""

if __name__ == "__main__":  # a process that reads files imports this module, too
    from kp_ui import shell

    shell.run()
