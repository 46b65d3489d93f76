"""python -m haptos"""

from haptos.cli.main import main

main()
