"""Learn which sentences people choose for an abstract, and whether more reliable choices are easier to learn."""
