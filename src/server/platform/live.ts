import type { IncomingHttpHeaders, Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { z } from 'zod';
import type { EventBatch, LiveEvent, Move, Position, Subscribed, Topic, Writing } from '#shared/events.ts';
import { Bursts } from './bursts.ts';
import type { StreamedEvent } from './events.ts';
import { fanOut } from './fan-out.ts';
import type { Viewer } from './http.ts';
import { closeSlow } from './slow-sockets.ts';
import type { EventStream } from './stream.ts';
import type { QuestionTopic, Writers } from './writers.ts';

type ToServer = {
  subscribe: (request: unknown, answer: (subscribed: Subscribed) => void) => void;
  unsubscribe: (topic: unknown) => void;
  /** An answer to a question is being written, or (false) no longer; repeated while it goes on. */
  writing: (topic: unknown, going: unknown) => void;
};
type ToBrowser = {
  events: (batch: EventBatch) => void;
  /** Events are gone for good: look again at everything, and listen from this position on. */
  missed: (position: Position) => void;
  writing: (writing: Writing) => void;
  moving: (move: Move) => void;
};
type SocketData = { viewer: Viewer; asked: Position; subscribing: number; writing: QuestionTopic | null };
type LiveSocket = Socket<ToServer, ToBrowser, DefaultEventsMap, SocketData>;

export type Live = {
  /** Hands events to the sockets that look at their topics. */
  tell(events: readonly StreamedEvent[], position: Position): void;
  /** Events are gone for good. */
  tellMissed(position: Position): void;
  sockets(): number;
  /** Asks every socket, and those that come meanwhile, to connect anew within so many milliseconds. */
  drain(milliseconds: number): void;
  stop(): Promise<void>;
};

export type LiveOptions = {
  server: HttpServer;
  stream: EventStream;
  writers: Writers;
  /** The member a handshake's cookies belong to; null refuses the connection. */
  authenticate: (headers: Headers) => Promise<Viewer | null>;
  /** Whether a page may open a socket from where it is. */
  allowsOrigin: (headers: IncomingHttpHeaders) => boolean;
};

/** What one member or one socket may hold; nobody who reads meets these. */
const bounds = { socketsAMember: 30, topicsASocket: 100, messagesASecond: 200, messageBytes: 4_096 } as const;

/** In milliseconds; sockets that a balancer sends back here again and again would else move ever faster. */
const shortestMove = 1_000;

/** Events for browsers over Socket.IO: a room for each topic, subscriptions authorised one by one. */
export function startLive({ server, stream, writers, authenticate, allowsOrigin }: LiveOptions): Live {
  const io = new Server<ToServer, ToBrowser, DefaultEventsMap, SocketData>(server, {
    path: '/api/live',
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: bounds.messageBytes,
    perMessageDeflate: false,
    allowRequest: (request, decide) => decide(null, allowsOrigin(request.headers)),
  });
  const socketsOf = new Map<number, Set<LiveSocket>>();
  const listeners = (topic: Topic) => io.of('/').adapter.rooms.get(topic)?.size ?? 0;
  const bursts = new Bursts(listeners, (topic, events, position) => {
    const batch: EventBatch = { topic, events, position };
    fanOut(socketsIn(topic), 'events', batch);
  });
  let drainedAt: number | undefined;
  io.use((socket, next) => void admit(socket).then(next, () => next(new Error('unavailable'))));
  io.on('connection', (socket) => attend(socket));
  io.engine.on('connection', closeFast);
  const slowness = closeSlow(io);
  writers.onChange(tellWriting);

  return {
    tell(events, position) {
      for (const [topic, batch] of Map.groupBy(events, (each) => each.topic)) {
        const told = batch.map((each) => each.event);
        if (listeners(topic) > 0) bursts.add(topic, told, position);
        closeEnded(topic, told);
      }
    },
    tellMissed: (position) => void io.emit('missed', position),
    sockets: () => io.engine.clientsCount,
    drain(milliseconds) {
      drainedAt = performance.now() + milliseconds;
      io.emit('moving', { within: milliseconds });
    },
    async stop() {
      clearInterval(slowness);
      bursts.stop();
      // Browsers come back by themselves, each after a time of its own (Socket.IO's randomised delay).
      io.disconnectSockets(true);
      io.engine.close();
    },
  };

  function* socketsIn(topic: Topic): Iterable<LiveSocket> {
    const { adapter, sockets } = io.of('/');
    for (const id of adapter.rooms.get(topic) ?? []) {
      const socket = sockets.get(id);
      if (socket !== undefined) yield socket;
    }
  }

  async function admit(socket: LiveSocket): Promise<Error | undefined> {
    const asked = stream.position();
    const viewer = await authenticate(new Headers({ cookie: socket.handshake.headers.cookie ?? '' }));
    if (viewer === null) return new Error('signed-out');
    if ((socketsOf.get(viewer.id)?.size ?? 0) >= bounds.socketsAMember) return new Error('too-many');
    socket.data = { viewer, asked, subscribing: 0, writing: null };
    return undefined;
  }

  function attend(socket: LiveSocket): void {
    const { viewer } = socket.data;
    forgetHandshake(socket);
    const mine = socketsOf.get(viewer.id) ?? new Set();
    socketsOf.set(viewer.id, mine.add(socket));
    socket.on('disconnect', () => {
      mine.delete(socket);
      if (mine.size === 0) socketsOf.delete(viewer.id);
      endWriting(socket);
    });
    socket.on('subscribe', (request, answer) => {
      if (typeof answer !== 'function' || !socket.connected) return;
      subscribe(socket, request).then(answer, () => answer({ ok: false, reason: 'unavailable' }));
    });
    socket.on('unsubscribe', (topic) => {
      if (typeof topic !== 'string' || topic === ownTopic(viewer)) return;
      if (socket.data.writing === topic) endWriting(socket);
      void socket.leave(topic);
    });
    socket.on('writing', (topic, going) => {
      if (socket.connected && typeof topic === 'string' && typeof going === 'boolean')
        setWriting(socket, topic, going);
    });
    // The balancer sent it back here: it has not noticed yet. Those who come last are let go when Parley stops.
    const within = drainedAt === undefined ? 0 : drainedAt - performance.now();
    if (within > shortestMove) socket.emit('moving', { within });
    // Its end must reach the socket even when the page did not ask for it.
    void socket.join(ownTopic(viewer));
    // Or it came while the socket was being let in.
    const meanwhile = { events: [], gap: false, position: socket.data.asked };
    if (isOver(stream.catchUp(ownTopic(viewer), meanwhile).events, viewer)) socket.disconnect(true);
  }

  async function subscribe(socket: LiveSocket, request: unknown): Promise<Subscribed> {
    const wanted = subscription.safeParse(request);
    if (!wanted.success) return { ok: false, reason: 'invalid' };
    const topic = allowedTopic(wanted.data.topic, socket.data.viewer);
    if (topic === null) return { ok: false, reason: 'not-allowed' };
    if (socket.rooms.size + socket.data.subscribing >= bounds.topicsASocket)
      return { ok: false, reason: 'too-many' };
    socket.data.subscribing++;
    const older = await stream.older(topic, wanted.data.since).finally(() => socket.data.subscribing--);
    // From here on without waiting, so that what happens is in the answer or comes after it: once, and in order.
    bursts.flush(topic);
    void socket.join(topic);
    const count = writers.on(topic, { but: socket.data.viewer.id });
    if (count > 0) socket.emit('writing', { topic, count });
    return { ok: true, ...stream.catchUp(topic, older) };
  }

  /** A session that ended must not hear more. */
  function closeEnded(topic: Topic, events: readonly LiveEvent[]): void {
    if (!events.some(({ kind }) => kind === 'sessions-ended' || kind === 'standing-changed')) return;
    for (const socket of socketsOf.get(Number(topic.split(':')[1])) ?? [])
      if (isOver(events, socket.data.viewer)) socket.disconnect(true);
  }

  function setWriting(socket: LiveSocket, wanted: string, going: boolean): void {
    const topic = allowedTopic(wanted, socket.data.viewer);
    if (topic === null || !isQuestion(topic) || !socket.rooms.has(topic)) return;
    if (!going) {
      if (socket.data.writing === topic) endWriting(socket);
      return;
    }
    if (socket.data.writing !== topic) endWriting(socket);
    socket.data.writing = topic;
    writers.begin(topic, socket.data.viewer.id);
  }

  function endWriting(socket: LiveSocket): void {
    const { writing, viewer } = socket.data;
    if (writing === null) return;
    socket.data.writing = null;
    const others = [...(socketsOf.get(viewer.id) ?? [])].filter((other) => other.data.writing === writing);
    if (others.length === 0) writers.end(writing, viewer.id);
  }

  /** Nobody is told of themselves. */
  function tellWriting(topic: Topic, members: readonly number[]): void {
    if (listeners(topic) === 0) return;
    const count = members.length;
    const own = members.map((id) => `member:${id}` as const);
    io.to(topic).except(own).emit('writing', { topic, count });
    for (const id of members)
      for (const socket of socketsOf.get(id) ?? [])
        if (socket.rooms.has(topic)) socket.emit('writing', { topic, count: count - 1 });
  }
}

const subscription = z.object({ topic: z.string().max(60), since: z.string().max(2_000) });

const ownTopic = (viewer: Viewer): Topic => `member:${viewer.id}`;

const isQuestion = (topic: Topic): topic is QuestionTopic => topic.startsWith('question:');

/** The topic where the viewer may hear of it, else null. */
function allowedTopic(topic: string, viewer: Viewer): Topic | null {
  if (topic === 'feeds' || topic === 'answers' || topic === 'activity' || topic === 'topics') return topic;
  if (topic === 'care') return viewer.standing.role === 'operator' ? topic : null;
  if (topic === ownTopic(viewer)) return ownTopic(viewer);
  const one = /^(question|profile):([1-9]\d{0,15})$/.exec(topic);
  if (one === null) return null;
  return one[1] === 'question' ? `question:${Number(one[2])}` : `profile:${Number(one[2])}`;
}

/** Whether one of the events ended the viewer's session, or made them something else: the socket then comes back so. */
function isOver(events: readonly LiveEvent[], { sessionId }: Viewer): boolean {
  return events.some((event) => {
    if (event.kind === 'standing-changed') return true;
    if (event.kind !== 'sessions-ended') return false;
    return event.sessionId === null ? sessionId !== event.except : sessionId === event.sessionId;
  });
}

/** The request a socket came with is most of the memory it takes, and of no use any more. */
function forgetHandshake(socket: LiveSocket): void {
  Reflect.set(socket.conn, 'request', undefined);
  Reflect.set(socket, 'handshake', undefined);
}

/** Closes a connection that sends more than a browser ever does, be it messages or what only looks like them. */
function closeFast(connection: Pick<LiveSocket['conn'], 'on' | 'close'>): void {
  let second = 0;
  let count = 0;
  connection.on('packet', () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count++;
    if (count > bounds.messagesASecond) connection.close(true);
  });
}
