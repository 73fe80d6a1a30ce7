"""Proposers: from a history to the next question, by the paper's method, by a posterior, or by a function of the user's."""
