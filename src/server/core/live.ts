import type { IncomingHttpHeaders, Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { z } from 'zod';
import type {
  EventBatch,
  LiveEvent,
  ReconnectRequest,
  Position,
  SubscribeResult,
  Topic,
  TypingPresence,
} from '#shared/core/events.ts';
import { EventThrottle } from './live-throttle.ts';
import type { TopicEvent } from './events.ts';
import { fanOut } from './live-fan-out.ts';
import type { Viewer } from './http.ts';
import { closeSlowSockets } from './live-slow-sockets.ts';
import type { EventStream } from './event-stream.ts';
import type { QuestionTopic, TypingTracker } from './live-typing-presence.ts';

type ToServer = {
  subscribe: (request: unknown, answer: (subscribed: SubscribeResult) => void) => void;
  unsubscribe: (topic: unknown) => void;
  /** An answer to a question is being written, or (false) no longer; repeated while it goes on. */
  typing: (topic: unknown, going: unknown) => void;
};
type ToBrowser = {
  events: (batch: EventBatch) => void;
  /** Events are gone for good: look again at everything, and listen from this position on. */
  gap: (position: Position) => void;
  typing: (writing: TypingPresence) => void;
  reconnect: (move: ReconnectRequest) => void;
};
type SocketData = {
  viewer: Viewer;
  connectedAt: Position;
  subscribing: number;
  typing: QuestionTopic | null;
};
type LiveSocket = Socket<ToServer, ToBrowser, DefaultEventsMap, SocketData>;

export type LiveServer = {
  /** Hands events to the sockets that look at their topics. */
  deliver(events: readonly TopicEvent[], position: Position): void;
  /** Events are gone for good. */
  announceGap(position: Position): void;
  countSockets(): number;
  /** Asks every socket, and those that come meanwhile, to connect anew within so many milliseconds. */
  drain(milliseconds: number): void;
  stop(): Promise<void>;
};

export type LiveOptions = {
  server: HttpServer;
  stream: EventStream;
  typingPresence: TypingTracker;
  /** The member a handshake's cookies belong to; null refuses the connection. */
  authenticate: (headers: Headers) => Promise<Viewer | null>;
  /** Whether a page may open a socket from where it is. */
  allowsOrigin: (headers: IncomingHttpHeaders) => boolean;
};

/** What one member or one socket may hold; nobody who reads meets these. */
const socketLimits = {
  socketsAMember: 30,
  topicsASocket: 100,
  messagesASecond: 200,
  messageBytes: 4_096,
} as const;

/** In milliseconds; sockets that a balancer sends back here again and again would else move ever faster. */
const minReconnectMs = 1_000;

/** Events for browsers over Socket.IO: a room for each topic, subscriptions authorised one by one. */
export function startLiveServer({
  server,
  stream,
  typingPresence,
  authenticate,
  allowsOrigin,
}: LiveOptions): LiveServer {
  const io = new Server<ToServer, ToBrowser, DefaultEventsMap, SocketData>(server, {
    path: '/api/live',
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: socketLimits.messageBytes,
    perMessageDeflate: false,
    allowRequest: (request, decide) => decide(null, allowsOrigin(request.headers)),
  });
  const socketsOf = new Map<number, Set<LiveSocket>>();
  const listeners = (topic: Topic) => io.of('/').adapter.rooms.get(topic)?.size ?? 0;
  const throttle = new EventThrottle(listeners, (topic, events, position) => {
    const batch: EventBatch = { topic, events, position };
    fanOut(socketsIn(topic), 'events', batch);
  });
  let drainedAt: number | undefined;
  io.use((socket, next) => void authenticateSocket(socket).then(next, () => next(new Error('unavailable'))));
  io.on('connection', (socket) => handleConnection(socket));
  io.engine.on('connection', limitMessageRate);
  const slowSocketTimer = closeSlowSockets(io);
  typingPresence.onChange(sendTyping);

  return {
    deliver(events, position) {
      for (const [topic, batch] of Map.groupBy(events, (each) => each.topic)) {
        const told = batch.map((each) => each.event);
        if (listeners(topic) > 0) throttle.add(topic, told, position);
        closeEnded(topic, told);
      }
    },
    announceGap: (position) => void io.emit('gap', position),
    countSockets: () => io.engine.clientsCount,
    drain(milliseconds) {
      drainedAt = performance.now() + milliseconds;
      io.emit('reconnect', { withinMs: milliseconds });
    },
    async stop() {
      clearInterval(slowSocketTimer);
      throttle.stop();
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

  async function authenticateSocket(socket: LiveSocket): Promise<Error | undefined> {
    const connectedAt = stream.position();
    const viewer = await authenticate(new Headers({ cookie: socket.handshake.headers.cookie ?? '' }));
    if (viewer === null) return new Error('signed-out');
    if ((socketsOf.get(viewer.id)?.size ?? 0) >= socketLimits.socketsAMember) return new Error('too-many');
    socket.data = { viewer, connectedAt, subscribing: 0, typing: null };
    return undefined;
  }

  function handleConnection(socket: LiveSocket): void {
    const { viewer } = socket.data;
    releaseHandshake(socket);
    const mine = socketsOf.get(viewer.id) ?? new Set();
    socketsOf.set(viewer.id, mine.add(socket));
    socket.on('disconnect', () => {
      mine.delete(socket);
      if (mine.size === 0) socketsOf.delete(viewer.id);
      endTyping(socket);
    });
    socket.on('subscribe', (request, answer) => {
      if (typeof answer !== 'function' || !socket.connected) return;
      subscribe(socket, request).then(answer, () => answer({ ok: false, reason: 'unavailable' }));
    });
    socket.on('unsubscribe', (topic) => {
      if (typeof topic !== 'string' || topic === memberTopic(viewer)) return;
      if (socket.data.typing === topic) endTyping(socket);
      void socket.leave(topic);
    });
    socket.on('typing', (topic, going) => {
      if (socket.connected && typeof topic === 'string' && typeof going === 'boolean')
        setTyping(socket, topic, going);
    });
    // The balancer sent it back here: it has not noticed yet. Those who come last are let go when Parley stops.
    const withinMs = drainedAt === undefined ? 0 : drainedAt - performance.now();
    if (withinMs > minReconnectMs) socket.emit('reconnect', { withinMs });
    // Its end must reach the socket even when the page did not ask for it.
    void socket.join(memberTopic(viewer));
    // Or it came while the socket was being let in.
    const meanwhile = { events: [], gap: false, position: socket.data.connectedAt };
    if (endsSession(stream.catchUp(memberTopic(viewer), meanwhile).events, viewer)) socket.disconnect(true);
  }

  async function subscribe(socket: LiveSocket, request: unknown): Promise<SubscribeResult> {
    const wanted = subscription.safeParse(request);
    if (!wanted.success) return { ok: false, reason: 'invalid' };
    const topic = authorizeTopic(wanted.data.topic, socket.data.viewer);
    if (topic === null) return { ok: false, reason: 'not-allowed' };
    if (socket.rooms.size + socket.data.subscribing >= socketLimits.topicsASocket)
      return { ok: false, reason: 'too-many' };
    socket.data.subscribing++;
    const older = await stream.readSince(topic, wanted.data.since).finally(() => socket.data.subscribing--);
    // From here on without waiting, so that what happens is in the answer or comes after it: once, and in order.
    throttle.flush(topic);
    void socket.join(topic);
    const count = typingPresence.countOthers(topic, { but: socket.data.viewer.id });
    if (count > 0) socket.emit('typing', { topic, count });
    return { ok: true, ...stream.catchUp(topic, older) };
  }

  /** A session that ended must not hear more. */
  function closeEnded(topic: Topic, events: readonly LiveEvent[]): void {
    if (!events.some(({ kind }) => kind === 'sessions-ended' || kind === 'standing-changed')) return;
    for (const socket of socketsOf.get(Number(topic.split(':')[1])) ?? [])
      if (endsSession(events, socket.data.viewer)) socket.disconnect(true);
  }

  function setTyping(socket: LiveSocket, wanted: string, going: boolean): void {
    const topic = authorizeTopic(wanted, socket.data.viewer);
    if (topic === null || !isQuestion(topic) || !socket.rooms.has(topic)) return;
    if (!going) {
      if (socket.data.typing === topic) endTyping(socket);
      return;
    }
    if (socket.data.typing !== topic) endTyping(socket);
    socket.data.typing = topic;
    typingPresence.start(topic, socket.data.viewer.id);
  }

  function endTyping(socket: LiveSocket): void {
    const { typing, viewer } = socket.data;
    if (typing === null) return;
    socket.data.typing = null;
    const others = [...(socketsOf.get(viewer.id) ?? [])].filter((other) => other.data.typing === typing);
    if (others.length === 0) typingPresence.end(typing, viewer.id);
  }

  /** Nobody is told of themselves. */
  function sendTyping(topic: Topic, members: readonly number[]): void {
    if (listeners(topic) === 0) return;
    const count = members.length;
    const own = members.map((id) => `member:${id}` as const);
    io.to(topic).except(own).emit('typing', { topic, count });
    for (const id of members)
      for (const socket of socketsOf.get(id) ?? [])
        if (socket.rooms.has(topic)) socket.emit('typing', { topic, count: count - 1 });
  }
}

const subscription = z.object({ topic: z.string().max(60), since: z.string().max(2_000) });

const memberTopic = (viewer: Viewer): Topic => `member:${viewer.id}`;

const isQuestion = (topic: Topic): topic is QuestionTopic => topic.startsWith('question:');

/** The topic where the viewer may hear of it, else null. */
function authorizeTopic(topic: string, viewer: Viewer): Topic | null {
  if (topic === 'feeds' || topic === 'answers' || topic === 'activity' || topic === 'topics') return topic;
  if (topic === 'care') return viewer.memberStatus.role === 'operator' ? topic : null;
  if (topic === memberTopic(viewer)) return memberTopic(viewer);
  const one = /^(question|profile):([1-9]\d{0,15})$/.exec(topic);
  if (one === null) return null;
  return one[1] === 'question' ? `question:${Number(one[2])}` : `profile:${Number(one[2])}`;
}

/** Whether one of the events ended the viewer's session, or made them something else: the socket then comes back so. */
function endsSession(events: readonly LiveEvent[], { sessionId }: Viewer): boolean {
  return events.some((event) => {
    if (event.kind === 'standing-changed') return true;
    if (event.kind !== 'sessions-ended') return false;
    return event.sessionId === null ? sessionId !== event.except : sessionId === event.sessionId;
  });
}

/** The request a socket came with is most of the memory it takes, and of no use any more. */
function releaseHandshake(socket: LiveSocket): void {
  Reflect.set(socket.conn, 'request', undefined);
  Reflect.set(socket, 'handshake', undefined);
}

/** Closes a connection that sends more than a browser ever does, be it messages or what only looks like them. */
function limitMessageRate(connection: Pick<LiveSocket['conn'], 'on' | 'close'>): void {
  let second = 0;
  let count = 0;
  connection.on('packet', () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count++;
    if (count > socketLimits.messagesASecond) connection.close(true);
  });
}
