# SPDX-License-Identifier: Apache-2.0
"""install_server.py FOLDER: serves FOLDER on a free port, which it prints; below /slow/ only checksums.txt is fast."""
import functools
import http.server
import sys
import time


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/slow/") and not self.path.endswith("checksums.txt"):
            time.sleep(60)
        super().do_GET()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
