#!/bin/sh
# Whether the process of this container is alive: a gateway answers, any other has beaten within 30 s.
set -eu
case ",${ROLES:-gateway}," in
  *gateway*)
    exec node -e '
      fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/api/health`).then(
        ({ ok }) => process.exit(ok ? 0 : 1),
        () => process.exit(1),
      )'
    ;;
  *) find "${DATA_DIR:-./data}/alive" -newermt '-30 seconds' | grep -q . ;;
esac
