import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import { getErrorCode, getErrorMessage, StartupError } from './startup-error.ts';

/** How long a request may take to arrive, in milliseconds; slower ones are cut off (slow loris). */
const requestTimeoutMs = 60_000;

/** How often slow requests are looked for, in milliseconds: Node by itself does it every 30 seconds only. */
const timeoutCheckIntervalMs = 1_000;

/**
 * How long an idle connection is kept for further requests, in milliseconds: longer than a balancer in front keeps one
 * (nginx 60 s, Amazon's 60 s, Caddy 2 min, Google's 10 min), so that it never sends a request into one that closes.
 */
const keepAliveTimeoutMs = 620_000;

/** How long connections that come all the time may put off the end, in milliseconds. */
const acceptTimeoutMs = 1_000;

/**
 * Fails when something listens at this place already, before anything is changed.
 * @throws StartupError
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
  /** From now on every answer says that its connection closes; requests are taken as before. */
  drain: () => void;
  /** Takes no more requests, lets running ones finish, and after `patience` milliseconds cuts off those that do not. */
  stop: (patience: number) => Promise<void>;
  /** Cuts off all requests now. */
  closeConnections: () => void;
  /** Makes a connection, and resolves when it has been accepted; rejects where none can be made. */
  waitUntilAccepted: () => Promise<void>;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** @throws StartupError when it cannot listen there. */
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
    response.once('close', () => {
      running.delete(response);
      // A connection that is kept open for further requests would hold up the stop.
      if (draining) setImmediate(closeIfStopped);
    });
    if (draining) response.shouldKeepAlive = false;
    void handler(request, response);
  });
  const drain = () => {
    draining = true;
    for (const response of running) response.shouldKeepAlive = false;
  };
  const takenPort = await listenOn(server, host, port);
  const closeIfStopped = () => {
    if (!server.listening) server.closeIdleConnections();
  };
  return {
    server,
    address: `http://${net.isIPv6(host) ? `[${host}]` : host}:${takenPort}`,
    drain,
    closeConnections: () => server.closeAllConnections(),
    waitUntilAccepted: () => waitUntilAccepted(server, takenPort),
    async stop(patience) {
      drain();
      await acceptPendingConnections(server);
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), patience);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * Connections that are made wait to be accepted, one at each turn of the event loop; closing resets those that still
 * wait, with the requests that are in them already. Resolves right behind a turn in which none came.
 */
async function acceptPendingConnections(server: Server): Promise<void> {
  const deadline = performance.now() + acceptTimeoutMs;
  let quiet = 0;
  const accepted = () => (quiet = 0);
  server.on('connection', accepted);
  // The first turn may have begun before.
  while (quiet < 2 && performance.now() < deadline) {
    quiet++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', accepted);
}

/** Resolves when a connection that is made now has been accepted, which is behind all that wait already. */
async function waitUntilAccepted(server: Server, port: number): Promise<void> {
  const at = server.address();
  const host = typeof at === 'object' && at !== null ? at.address : 'localhost';
  // Every address of the machine has its loopback.
  const socket = net.connect(port, host.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1'));
  const ports = new Set<number | undefined>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () => {
    if (socket.localPort !== undefined && ports.has(socket.localPort)) resolve();
  };
  const note = ({ remotePort }: net.Socket) => {
    ports.add(remotePort);
    look();
  };
  server.on('connection', note);
  server.once('close', resolve);
  socket.on('connect', look).on('error', reject);
  try {
    await promise;
  } finally {
    server.off('connection', note);
    server.off('close', resolve);
    socket.destroy();
  }
}

/** Resolves with the port. */
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
    return `Port ${port} on ${host} is taken by another program. Stop that, or choose another port with PORT=, such as PORT=${port < 65_535 ? port + 1 : 3000}.`;
  if (code === 'EACCES')
    return `Port ${port} may not be used by this user. Choose one from 1024 on with PORT=.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `This machine has no address ${host}. Choose another with HOST=.`;
  return `Parley cannot listen on ${host}, port ${port}: ${getErrorMessage(error)}.`;
}
