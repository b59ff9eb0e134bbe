import type { Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { z } from 'zod';
import type { EventBatch, LiveEvent, MemberEvent, Position, Subscribed, Topic } from '#shared/events.ts';
import type { EventStream, StreamedEvent } from './events.ts';
import type { Viewer } from './http.ts';

type ToServer = {
  subscribe: (request: unknown, answer: (subscribed: Subscribed) => void) => void;
  unsubscribe: (topic: unknown) => void;
};
type ToBrowser = { events: (batch: EventBatch) => void };
type LiveSocket = Socket<ToServer, ToBrowser, DefaultEventsMap, { viewer: Viewer }>;

export type Live = {
  /** Hands events to the sockets that look at their topics. */
  tell(events: readonly StreamedEvent[], position: Position): void;
  stop(): Promise<void>;
};

export type LiveOptions = {
  server: HttpServer;
  stream: EventStream;
  /** The member a handshake's cookies belong to; null refuses the connection. */
  authenticate: (headers: Headers) => Promise<Viewer | null>;
  /** Whether a page may open a socket from this origin. */
  allowsOrigin: (origin: string | undefined, host: string | undefined) => boolean;
};

/** What one member or one socket may hold; nobody who reads meets these. */
const bounds = { socketsAMember: 30, topicsASocket: 50, messagesASecond: 30, messageBytes: 4_096 } as const;

/** Events for browsers over Socket.IO: a room for each topic, subscriptions authorised one by one. */
export function startLive({ server, stream, authenticate, allowsOrigin }: LiveOptions): Live {
  const io = new Server<ToServer, ToBrowser, DefaultEventsMap, { viewer: Viewer }>(server, {
    path: '/api/live',
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: bounds.messageBytes,
    perMessageDeflate: false,
    allowRequest: (request, decide) =>
      decide(null, allowsOrigin(request.headers.origin, request.headers.host)),
  });
  const socketsOf = new Map<number, Set<LiveSocket>>();
  io.use((socket, next) => void admit(socket).then(next, () => next(new Error('unavailable'))));
  io.on('connection', (socket) => attend(socket));

  return {
    tell(events, position) {
      for (const [topic, batch] of Map.groupBy(events, (each) => each.topic)) {
        const told = batch.map((each) => each.event);
        io.to(topic).emit('events', { topic, events: told, position });
        closeEnded(topic, told);
      }
    },
    async stop() {
      // Browsers come back by themselves, each after a time of its own (Socket.IO's randomised delay).
      io.disconnectSockets(true);
      io.engine.close();
    },
  };

  async function admit(socket: LiveSocket): Promise<Error | undefined> {
    const viewer = await authenticate(new Headers({ cookie: socket.handshake.headers.cookie ?? '' }));
    if (viewer === null) return new Error('signed-out');
    if ((socketsOf.get(viewer.id)?.size ?? 0) >= bounds.socketsAMember) return new Error('too-many');
    socket.data.viewer = viewer;
    return undefined;
  }

  function attend(socket: LiveSocket): void {
    const { viewer } = socket.data;
    const mine = socketsOf.get(viewer.id) ?? new Set();
    socketsOf.set(viewer.id, mine.add(socket));
    socket.on('disconnect', () => {
      mine.delete(socket);
      if (mine.size === 0) socketsOf.delete(viewer.id);
    });
    socket.use(boundedRate(socket));
    socket.on('subscribe', (request, answer) => {
      if (typeof answer !== 'function') return;
      subscribe(socket, request).then(answer, () => answer({ ok: false, reason: 'unavailable' }));
    });
    socket.on('unsubscribe', (topic) => {
      if (typeof topic === 'string' && topic !== ownTopic(viewer)) void socket.leave(topic);
    });
    // Its end must reach the socket even when the page did not ask for it.
    void socket.join(ownTopic(viewer));
  }

  async function subscribe(socket: LiveSocket, request: unknown): Promise<Subscribed> {
    const wanted = subscription.safeParse(request);
    if (!wanted.success) return { ok: false, reason: 'invalid' };
    const topic = allowedTopic(wanted.data.topic, socket.data.viewer);
    if (topic === null) return { ok: false, reason: 'not-allowed' };
    if (socket.rooms.size >= bounds.topicsASocket) return { ok: false, reason: 'too-many' };
    // Joined first: what happens meanwhile comes twice rather than not at all, and telling twice changes nothing.
    await socket.join(topic);
    return { ok: true, ...(await stream.since(topic, wanted.data.since)) };
  }

  /** A session that ended must not hear more. */
  function closeEnded(topic: Topic, events: readonly LiveEvent[]): void {
    const ended = events.filter(
      (event): event is Extract<MemberEvent, { kind: 'sessions-ended' }> => event.kind === 'sessions-ended',
    );
    if (ended.length === 0) return;
    for (const socket of socketsOf.get(Number(topic.split(':')[1])) ?? [])
      if (ended.some((event) => isEnded(event, socket.data.viewer.sessionId))) socket.disconnect(true);
  }
}

const subscription = z.object({ topic: z.string().max(60), since: z.string().max(20) });

const ownTopic = (viewer: Viewer): Topic => `member:${viewer.id}`;

/** The topic where the viewer may hear of it, else null. */
function allowedTopic(topic: string, viewer: Viewer): Topic | null {
  if (topic === 'feeds') return topic;
  if (topic === ownTopic(viewer)) return ownTopic(viewer);
  const question = /^question:([1-9]\d{0,15})$/.exec(topic);
  return question === null ? null : `question:${Number(question[1])}`;
}

function isEnded(event: Extract<MemberEvent, { kind: 'sessions-ended' }>, sessionId: number): boolean {
  return event.sessionId === null ? sessionId !== event.except : sessionId === event.sessionId;
}

/** Closes a socket that sends more than a browser ever would. */
function boundedRate(socket: LiveSocket) {
  let second = 0;
  let count = 0;
  return (_event: unknown, next: () => void) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count++;
    if (count > bounds.messagesASecond) socket.disconnect(true);
    else next();
  };
}
