# SPDX-License-Identifier: Apache-2.0
"""Local API servers of one cluster with HTTP/1.1 and HTTP/2, a proxy, and their certificates."""

import base64
import json
import socket
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import h2.config
import h2.connection
import h2.events

NAME = "kubernetes.test"  # only the proxy resolves this name


class Api(BaseHTTPRequestHandler):
    """Serves lists of one cluster to clients with the token or a client certificate."""

    protocol_version = "HTTP/1.1"
    lists = {}
    agents = set()
    stall = ""  # "head", "body": waits for `go_on` there; "close": closes the connection
    asked = threading.Event()
    go_on = threading.Event()

    @staticmethod
    def answer(path, allowed):
        path = path.split("?")[0]
        if not allowed:
            status, body = 401, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "Unauthorized",
                                 "reason": "Unauthorized", "code": 401}
        elif path in Api.lists:
            status, body = 200, Api.lists[path]
        elif path == "/version":
            status, body = 200, {"major": "1", "minor": "36", "gitVersion": "v1.36.0"}
        else:
            status, body = 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
                                 "message": "the server could not find the requested resource", "code": 404}
        return status, json.dumps(body).encode()

    def do_GET(self):
        Api.agents.add(self.headers.get("User-Agent", ""))
        allowed = self.headers.get("Authorization") == "Bearer secret-token" or self.connection.getpeercert()
        status, data = self.answer(self.path, allowed)
        Api.asked.set()
        if Api.stall == "close":
            self.close_connection = True
            return
        if Api.stall == "head":
            Api.go_on.wait(60)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if Api.stall == "body":
            self.wfile.write(data[:len(data) // 2])
            Api.go_on.wait(60)
            return
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # the client does not trust the certificate, or was terminated


def context_of(folder, protocols=()):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.crt", folder / "server.key")
    context.load_verify_locations(folder / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


def start_server(folder):
    server = QuietServer(("127.0.0.1", 0), Api)
    server.socket = context_of(folder).wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Http2Server:
    """The same answers over HTTP/2. `most` maps each user agent to the most requests of one connection."""

    def __init__(self, folder):
        self.context = context_of(folder, ["h2", "http/1.1"])
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.most = {}
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            plain, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        try:
            with self.context.wrap_socket(plain, server_side=True) as stream:
                if stream.selected_alpn_protocol() == "h2":
                    self.speak(stream)
        except (OSError, ssl.SSLError):
            pass

    def speak(self, stream):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        connection.initiate_connection()
        stream.sendall(connection.data_to_send())
        waiting, number = {}, 0
        while data := stream.recv(65536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    fields = {name.decode(): value.decode() for name, value in
                              ((n.encode() if isinstance(n, str) else n, v.encode() if isinstance(v, str) else v)
                               for n, v in event.headers)}
                    number += 1
                    self.most[fields["user-agent"]] = max(number, self.most.get(fields["user-agent"], 0))
                    allowed = fields.get("authorization") == "Bearer secret-token"
                    status, body = Api.answer(fields[":path"], allowed)
                    connection.send_headers(event.stream_id, [(":status", str(status)),
                                                              ("content-type", "application/json")])
                    waiting[event.stream_id] = body
                elif isinstance(event, (h2.events.StreamReset,)):
                    waiting.pop(event.stream_id, None)
                elif isinstance(event, h2.events.ConnectionTerminated):
                    return
                elif isinstance(event, h2.events.DataReceived):
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            self.send_waiting(connection, waiting)
            stream.sendall(connection.data_to_send())

    @staticmethod
    def send_waiting(connection, waiting):
        for stream_id in list(waiting):
            body = waiting[stream_id]
            while body:
                size = min(connection.local_flow_control_window(stream_id), connection.max_outbound_frame_size, len(body))
                if size <= 0:
                    break
                connection.send_data(stream_id, body[:size])
                body = body[size:]
            waiting[stream_id] = body
            if not body:
                connection.end_stream(stream_id)
                del waiting[stream_id]


class Proxy(BaseHTTPRequestHandler):
    """Connects any name to this machine; `refuses`, if not 0, is the status of all answers."""

    asked = []
    refuses = 0

    def do_CONNECT(self):
        Proxy.asked.append((self.path, self.headers.get("Proxy-Authorization", "")))
        if Proxy.refuses:
            self.send_error(Proxy.refuses)
            return
        self.send_response(200)
        self.end_headers()
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2]))) as server:
            back = threading.Thread(target=pass_on, args=(server, self.connection), daemon=True)
            back.start()
            pass_on(self.connection, server)
            back.join()
        self.close_connection = True

    def log_message(self, *arguments):
        pass


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def start_proxy():
    server = QuietServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def basic(user):
    return "Basic " + base64.b64encode(user.encode()).decode()


def lists_of(cluster):
    prefixes = {"Node": "/api/v1/nodes", "Pod": "/api/v1/pods", "DaemonSet": "/apis/apps/v1/daemonsets",
                "ControllerRevision": "/apis/apps/v1/controllerrevisions", "Event": "/api/v1/events",
                "Namespace": "/api/v1/namespaces"}
    result = {}
    for kind, path in prefixes.items():
        items = [item for item in cluster["items"] if item["kind"] == kind]
        version = "apps/v1" if "/apps/" in path else "v1"
        result[path] = {"kind": kind + "List", "apiVersion": version, "metadata": {"resourceVersion": "1"},
                        "items": items}
    return result


def make_certificates(folder):
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    names = f"subjectAltName=IP:127.0.0.1,DNS:{NAME}"
    for name, more in (("ca", []), ("server", ["-addext", names]), ("client", [])):
        signed = [] if name == "ca" else ["-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "basicConstraints=CA:FALSE"]
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt", *signed, *more)


def kubeconfig(server, user, ca="ca.crt", more=""):
    return f"""apiVersion: v1
kind: Config
current-context: c
clusters:
- name: c
  cluster: {{server: '{server}', certificate-authority: {ca}{more}}}
contexts:
- name: c
  context: {{cluster: c, user: u}}
users:
- name: u
  user: {user}
"""
