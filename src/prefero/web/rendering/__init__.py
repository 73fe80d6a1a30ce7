"""What a person sees of a candidate, made by the user's function `render(candidate)` in a Python file.

tuning      the served file: a space, a question, render
pictures    from what render returned to files that a browser shows, and numbers
encoding    arrays and tables as PNG, WAV, CSV and HTML
renderers   rendering with a time limit: in helper processes, by an executor, or in a thread
worker      the helper process
"""
