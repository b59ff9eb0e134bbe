import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import { getErrorCode, getErrorMessage, StartupError } from './startup-error.ts';

/** How long a request may take to arrive, in milliseconds. Slower ones are closed (slowloris attacks). */
const requestTimeoutMs = 60_000;

/** How often slow requests are checked, in milliseconds. Node's default is 30 seconds. */
const timeoutCheckIntervalMs = 1_000;

/**
 * How long an idle connection stays open, in milliseconds. Longer than the usual load balancers keep theirs (nginx 60
 * s, Amazon 60 s, Caddy 2 min, Google 10 min), so that they never send a request into a closing connection.
 */
const keepAliveTimeoutMs = 620_000;

/** How long a constant flow of new connections can delay the stop, in milliseconds. */
const acceptTimeoutMs = 1_000;

/**
 * Checks that the port is free, before anything is changed.
 * @throws StartupError if the port is in use
 */
export async function assertPortIsFree(host: string, port: number): Promise<void> {
  const probe = net.createServer();
  await listenOn(probe, host, port);
  await new Promise((resolve) => probe.close(resolve));
}

export type HttpServer = {
  server: Server;
  /** Such as 'http://127.0.0.1:3000'. */
  address: string;
  /** From now on, every response announces that its connection will close. Requests are still accepted. */
  drain: () => void;
  /**
   * Stops accepting requests and waits for running ones. Closes those that take longer than `timeoutMs` milliseconds.
   */
  stop: (timeoutMs: number) => Promise<void>;
  /** Closes all connections immediately. */
  closeConnections: () => void;
  /** Opens a connection and resolves when it has been accepted. Rejects if that fails. */
  waitUntilAccepted: () => Promise<void>;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** @throws StartupError if it cannot listen on this address */
export async function startHttpServer(
  handler: Handler,
  host: string,
  port: number,
  arrivalTimeoutMs = requestTimeoutMs,
): Promise<HttpServer> {
  const limits = {
    requestTimeout: arrivalTimeoutMs,
    headersTimeout: arrivalTimeoutMs / 2,
    connectionsCheckingInterval: timeoutCheckIntervalMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  };
  const running = new Set<ServerResponse>();
  let draining = false;
  const server = createServer(limits, (request, response) => {
    running.add(response);
    response.on('close', () => {
      running.delete(response);
      // An open keep-alive connection would delay the stop.
      if (draining) setImmediate(closeIfStopped);
    });
    if (draining) response.shouldKeepAlive = false;
    void handler(request, response);
  });
  const drain = () => {
    draining = true;
    for (const response of running) response.shouldKeepAlive = false;
  };
  const boundPort = await listenOn(server, host, port);
  const closeIfStopped = () => {
    if (!server.listening) server.closeIdleConnections();
  };
  return {
    server,
    address: formatAddress(host, boundPort),
    drain,
    closeConnections: () => server.closeAllConnections(),
    waitUntilAccepted: () => waitUntilAccepted(server, boundPort),
    async stop(timeoutMs) {
      drain();
      await acceptPendingConnections(server);
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Such as 'http://127.0.0.1:3000'. */
export const formatAddress = (host: string, port: number): string =>
  `http://${net.isIPv6(host) ? `[${host}]` : host}:${port}`;

/**
 * New connections are accepted one per turn of the event loop. Closing the server resets the waiting ones and the
 * requests they already contain. Resolves after a turn without a new connection.
 */
async function acceptPendingConnections(server: Server): Promise<void> {
  const deadline = performance.now() + acceptTimeoutMs;
  let quiet = 0;
  const accepted = () => (quiet = 0);
  server.on('connection', accepted);
  // The first turn may have started before this call.
  while (quiet < 2 && performance.now() < deadline) {
    quiet++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', accepted);
}

/** Resolves when a connection opened now has been accepted, which is after all waiting ones. */
async function waitUntilAccepted(server: Server, port: number): Promise<void> {
  const at = server.address();
  const host = typeof at === 'object' && at !== null ? at.address : 'localhost';
  // A wildcard address includes the loopback address.
  const socket = net.connect(port, host.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1'));
  const ports = new Set<number | undefined>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = () => {
    if (socket.localPort !== undefined && ports.has(socket.localPort)) resolve();
  };
  const onConnection = ({ remotePort }: net.Socket) => {
    ports.add(remotePort);
    check();
  };
  server.on('connection', onConnection);
  server.once('close', resolve);
  socket.on('connect', check).on('error', reject);
  try {
    await promise;
  } finally {
    server.off('connection', onConnection);
    server.off('close', resolve);
    socket.destroy();
  }
}

/** Returns the port. */
async function listenOn(server: net.Server, host: string, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw new StartupError(describeListenError(host, port, error));
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function describeListenError(host: string, port: number, error: unknown): string {
  const code = getErrorCode(error);
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with PORT=, such as PORT=${port < 65_535 ? port + 1 : 3000}.`;
  if (code === 'EACCES')
    return `Port ${port} is not allowed for this user. Choose 1024 or higher with PORT=.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `This machine has no address ${host}. Choose another with HOST=.`;
  return `Parley cannot listen on ${host}, port ${port}: ${getErrorMessage(error)}.`;
}
