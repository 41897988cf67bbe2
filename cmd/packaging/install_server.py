# SPDX-License-Identifier: Apache-2.0
"""install_server.py FOLDER [CERTIFICATE KEY]: serves FOLDER by HTTP, and also by HTTPS if a certificate is given, on free
ports, which it prints. Below /slow/ only checksums.txt is fast; /to-http/ and /to-https/ redirect to /good/."""
import functools
import http.server
import ssl
import sys
import threading
import time

servers = {}


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        for scheme in servers:
            if self.path.startswith(f"/to-{scheme}/"):
                path = self.path[len(f"/to-{scheme}"):]
                self.send_response(302)
                self.send_header("Location", f"{scheme}://127.0.0.1:{servers[scheme].server_port}/good{path}")
                self.end_headers()
                return
        if self.path.startswith("/slow/") and not self.path.endswith("checksums.txt"):
            time.sleep(60)
        super().do_GET()

    def log_message(self, *_):
        pass


def server():
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
    made.daemon_threads = True
    return made


servers["http"] = server()
if len(sys.argv) > 2:
    servers["https"] = server()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    servers["https"].socket = context.wrap_socket(servers["https"].socket, server_side=True)
    threading.Thread(target=servers["https"].serve_forever, daemon=True).start()
print(*(each.server_port for each in servers.values()), flush=True)
servers["http"].serve_forever()
