"""Learn which sentences people choose for an abstract, and test whether more reliable choices are easier to learn."""
