# SPDX-License-Identifier: Apache-2.0
"""release_page.py FOLDER VERSION CERTIFICATE KEY: plays GitHub's release page with the files of FOLDER, as the proxy of a
client: connections to github.com and to the host of its files end here. Prints the port of the proxy."""
import http.server
import pathlib
import re
import socket
import ssl
import sys
import threading

folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
RELEASES = "/kubectl-dsdoctor/kubectl-dsdoctor/releases"
FILES = "release-assets.githubusercontent.com"


class Page(http.server.BaseHTTPRequestHandler):
    """As on GitHub, latest is a redirect to the version, and the version one to the host of the files."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers["Host"]
        if host == "github.com" and (match := re.fullmatch(RELEASES + "/latest/download/([^/]+)", self.path)):
            return self.redirect(f"https://github.com{RELEASES}/download/{version}/{match[1]}")
        if host == "github.com" and (match := re.fullmatch(f"{RELEASES}/download/{re.escape(version)}/([^/]+)", self.path)):
            if (folder / match[1]).is_file():
                return self.redirect(f"https://{FILES}/{match[1]}")
        if host == FILES and (folder / self.path[1:]).is_file():
            return self.answer(200, (folder / self.path[1:]).read_bytes())
        self.answer(404, b"Not Found")

    def redirect(self, url):
        self.send_response(302)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, code, content):
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Proxy(http.server.BaseHTTPRequestHandler):
    def do_CONNECT(self):
        if self.path not in ("github.com:443", FILES + ":443"):
            self.send_error(502, f"no connection to {self.path}")
            return
        with socket.create_connection(page.server_address) as other:
            self.send_response(200)
            self.end_headers()
            threading.Thread(target=copy, args=(other, self.connection), daemon=True).start()
            copy(self.connection, other)

    def log_message(self, *_):
        pass


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def server(handler):
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    made.daemon_threads = True
    return made


page, proxy = server(Page), server(Proxy)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[3], sys.argv[4])
page.socket = context.wrap_socket(page.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=page.serve_forever, daemon=True).start()
print(proxy.server_port, flush=True)
proxy.serve_forever()
