"""Compare inside a notebook's cell: no server and no frame; a study in memory will do. It needs the extra `notebook`.

widget    the widget, by anywidget; widget.js and widget.css are what the browser runs
dialogue  what the widget shows and understands, as plain data
"""
