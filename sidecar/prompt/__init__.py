"""From a conversation and candidates to the tokens that the model reads."""
