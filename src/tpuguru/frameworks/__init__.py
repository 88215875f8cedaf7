"""One folder a framework: recognise, resolve defaults, derive facts, describe the AOT job."""
