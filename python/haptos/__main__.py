"""python -m haptos"""

from haptos.cli import main

main()
