"""Answer one question a module: from prepared data to a result with its uncertainty."""
