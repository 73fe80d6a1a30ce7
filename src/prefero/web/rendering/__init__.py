"""What a person sees of a candidate, made by a function of the user's: `render(candidate)` in a Python file.

tuning      the file: a space, a question, render
pictures    from what render returned to files that a browser shows, and numbers
encoding    PNG, WAV, CSV and HTML, of arrays and tables
renderers   who renders, with a time limit: worker processes, or any executor
worker      the other end of a worker process
"""
