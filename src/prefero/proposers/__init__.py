"""History → next question: the paper's algorithm, and whatever else can be written as a function of the history."""
