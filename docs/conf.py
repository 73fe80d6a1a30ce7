"""Settings of Sphinx; docs/site.py copies them beside the pages it makes."""

from prefero import __version__ as release

project, author, language = "prefero", "The prefero authors", "en"
version = release
extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a docstring may begin below the first level
exclude_patterns = ["gallery/**"]
linkcheck_ignore = [r"http://(localhost|127\.0\.0\.1)", r"https://hub\.example/"]  # examples of addresses
highlight_language = "text"
add_module_names = False
python_use_unqualified_type_names = True
html_theme = "furo"
html_title = "prefero"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
