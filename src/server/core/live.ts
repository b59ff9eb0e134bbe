import { canModerate } from '#shared/identity/roles.ts';
import type { IncomingHttpHeaders, Server as HttpServer } from 'node:http';
import pLimit, { type LimitFunction } from 'p-limit';
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
import { closeSlowSockets } from './live-slow-sockets.ts';
import type { Viewer } from './http.ts';
import type { CatchUp, EventStream } from './event-stream.ts';
import type { QuestionTopic, TypingTracker } from './live-typing-presence.ts';

type ToServer = {
  subscribe: (request: unknown, ack: (subscribed: SubscribeResult) => void) => void;
  unsubscribe: (topic: unknown) => void;
  /** The member is typing an answer to a question, or (false) has stopped. Repeated while it lasts. */
  typing: (topic: unknown, isTyping: unknown) => void;
};
type ToBrowser = {
  events: (batch: EventBatch) => void;
  /** Events are lost: fetch everything again and continue from this position. */
  gap: (position: Position) => void;
  /** All events up to this position have been sent. */
  position: (position: Position) => void;
  typing: (writing: TypingPresence) => void;
  reconnect: (move: ReconnectRequest) => void;
};
type SocketData = {
  viewer: Viewer;
  connectedAt: Position;
  subscribing: number;
  typing: QuestionTopic | null;
  /** Typing that is shown once it is checked that it may be. The member can end it and start again during the check. */
  startingToType: { topic: QuestionTopic } | null;
  isCheckingTyping: boolean;
};
type LiveSocket = Socket<ToServer, ToBrowser, DefaultEventsMap, SocketData>;

export type LiveServer = {
  /** Delivers events to the sockets that joined their topics. */
  deliver(events: readonly TopicEvent[], position: Position): void;
  /** Tells every socket that events are lost, and closes each within this many milliseconds, so that it reconnects. */
  announceGap(position: Position, reconnectWithinMs?: number): void;
  /** Tells every socket up to which position it has received the events of its topics. Done regularly. */
  announcePosition(): void;
  countSockets(): number;
  /** Asks every socket, including new ones, to reconnect within this many milliseconds. */
  drain(milliseconds: number): void;
  stop(): Promise<void>;
};

export type LiveOptions = {
  server: HttpServer;
  stream: EventStream;
  typingPresence: TypingTracker;
  /** Whether others may see that a member types on a question. */
  isTypingShown: (viewer: Viewer, questionId: number) => Promise<boolean>;
  /** The member of the handshake's session cookie. Null refuses the connection. */
  authenticate: (headers: Headers) => Promise<Viewer | null>;
  /** Whether a page of this origin may open a socket. */
  allowsOrigin: (headers: IncomingHttpHeaders) => boolean;
};

/** The limits of one member and one socket, far above normal use. */
const socketLimits = {
  maxSocketsPerMember: 30,
  maxTopicsPerSocket: 100,
  maxMessagesPerSecond: 200,
  maxMessageBytes: 4_096,
} as const;

/**
 * In milliseconds. Without it, sockets that a load balancer keeps sending back to this node would reconnect ever
 * faster.
 */
const minReconnectMs = 1_000;

/** Within how many milliseconds all sockets reconnect after events were lost. */
const gapReconnectMs = 30_000;

/**
 * How often the position is announced, in milliseconds. Without it, the position of a topic without events becomes too
 * old to continue from (event-stream.ts), and a reconnection would fetch everything again.
 */
const positionIntervalMs = 20 * 60_000;

/** How long the response with the new token of a session may take, in milliseconds. */
const newTokenMs = 3_000;

/** Starts the Socket.IO server for live events: one room per topic, with a permission check per subscription. */
export function startLiveServer({
  server,
  stream,
  typingPresence,
  isTypingShown,
  authenticate,
  allowsOrigin,
}: LiveOptions): LiveServer {
  const io = new Server<ToServer, ToBrowser, DefaultEventsMap, SocketData>(server, {
    path: '/api/live',
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: socketLimits.maxMessageBytes,
    perMessageDeflate: false,
    allowRequest: (request, decide) => decide(null, allowsOrigin(request.headers)),
  });
  const socketsOf = new Map<number, Set<LiveSocket>>();
  const readsOf = new Map<number, LimitFunction>();
  const listeners = (topic: Topic) => io.of('/').adapter.rooms.get(topic)?.size ?? 0;
  const throttle = new EventThrottle(listeners, (topic, events, position) => {
    io.to(topic).emit('events', { topic, events, position });
  });
  let drainedAt: number | undefined;
  io.use((socket, next) => void authenticateSocket(socket).then(next, () => next(new Error('unavailable'))));
  io.on('connection', (socket) => handleConnection(socket));
  io.engine.on('connection', limitMessageRate);
  const slowSocketTimer = closeSlowSockets(io);
  const positionTimer = setInterval(announcePosition, positionIntervalMs).unref();
  typingPresence.onChange(sendTyping);

  return {
    deliver(events, position) {
      for (const [topic, batch] of Map.groupBy(events, (each) => each.topic)) {
        const liveEvents = batch.map((each) => each.event);
        if (listeners(topic) > 0) throttle.add(topic, liveEvents, position);
        closeEndedSessions(topic, liveEvents);
        if (isQuestion(topic) && liveEvents.some(({ kind }) => kind === 'deleted')) endTypingOn(topic);
      }
    },
    announceGap(position, reconnectWithinMs = gapReconnectMs) {
      io.emit('gap', position);
      for (const socket of io.of('/').sockets.values()) {
        // The lost events may include those of hidden questions,
        checkTypingAgain(socket);
        // and those of ended sessions and lost roles, which the next handshake checks.
        setTimeout(() => socket.disconnect(true), Math.random() * reconnectWithinMs).unref();
      }
    },
    announcePosition,
    countSockets: () => io.engine.clientsCount,
    drain(milliseconds) {
      drainedAt = performance.now() + milliseconds;
      io.emit('reconnect', { withinMs: milliseconds });
    },
    async stop() {
      clearInterval(slowSocketTimer);
      clearInterval(positionTimer);
      throttle.stop();
      // Browsers reconnect by themselves after Socket.IO's random delay.
      io.disconnectSockets(true);
      io.engine.close();
    },
  };

  function announcePosition(): void {
    throttle.flushAll();
    io.emit('position', stream.position());
  }

  async function authenticateSocket(socket: LiveSocket): Promise<Error | undefined> {
    const connectedAt = stream.position();
    const viewer = await authenticate(new Headers({ cookie: socket.handshake.headers.cookie ?? '' }));
    if (viewer === null) return new Error('signed-out');
    if ((socketsOf.get(viewer.id)?.size ?? 0) >= socketLimits.maxSocketsPerMember)
      return new Error('too-many');
    socket.data = {
      viewer,
      connectedAt,
      subscribing: 0,
      typing: null,
      startingToType: null,
      isCheckingTyping: false,
    };
    return undefined;
  }

  function handleConnection(socket: LiveSocket): void {
    const { viewer } = socket.data;
    releaseHandshake(socket);
    const mine = socketsOf.get(viewer.id) ?? new Set();
    socketsOf.set(viewer.id, mine.add(socket));
    socket.on('disconnect', () => {
      mine.delete(socket);
      if (mine.size === 0) {
        socketsOf.delete(viewer.id);
        readsOf.delete(viewer.id);
      }
      endTyping(socket);
    });
    socket.on('subscribe', (request, ack) => {
      if (typeof ack !== 'function' || !socket.connected) return;
      subscribe(socket, request).then(ack, () => ack({ ok: false, reason: 'unavailable' }));
    });
    socket.on('unsubscribe', (topic) => {
      if (typeof topic !== 'string' || topic === typingRoom(viewer.id)) return;
      if (socket.data.typing === topic) endTyping(socket);
      void socket.leave(topic);
    });
    socket.on('typing', (topic, isTyping) => {
      if (socket.connected && typeof topic === 'string' && typeof isTyping === 'boolean')
        setTyping(socket, topic, isTyping);
    });
    // The load balancer still sends sockets to this draining node. The last ones are closed when Parley stops.
    const withinMs = drainedAt === undefined ? 0 : drainedAt - performance.now();
    if (withinMs > minReconnectMs) socket.emit('reconnect', { withinMs });
    void socket.join(typingRoom(viewer.id));
    // The session ended during the handshake, or may have.
    const before = { events: [], gap: false, position: socket.data.connectedAt };
    const meanwhile = stream.catchUp(memberTopic(viewer), before);
    if (meanwhile.gap) socket.disconnect(true);
    else closeIfEnded(socket, meanwhile.events);
  }

  async function subscribe(socket: LiveSocket, request: unknown): Promise<SubscribeResult> {
    const wanted = subscription.safeParse(request);
    if (!wanted.success) return { ok: false, reason: 'invalid' };
    const topic = authorizeTopic(wanted.data.topic, socket.data.viewer);
    if (topic === null) return { ok: false, reason: 'not-allowed' };
    if (socket.rooms.size + socket.data.subscribing >= socketLimits.maxTopicsPerSocket)
      return { ok: false, reason: 'too-many' };
    socket.data.subscribing++;
    const older = await readMissed(socket, topic, wanted.data.since).finally(() => socket.data.subscribing--);
    // No awaits from here on: each event is either in the response or delivered after it, once and in order.
    throttle.flush(topic);
    void socket.join(topic);
    const count = typingPresence.countTyping(topic, { exclude: socket.data.viewer.id });
    if (count > 0) socket.emit('typing', { topic, count });
    return { ok: true, ...stream.catchUp(topic, older) };
  }

  function readMissed(socket: LiveSocket, topic: Topic, since: Position): Promise<CatchUp> {
    return readInTurn(socket, () => stream.readSince(topic, since));
  }

  /** Runs one read of a member at a time, because it may need a connection to the database. */
  function readInTurn<Result>(socket: LiveSocket, read: () => Promise<Result>): Promise<Result> {
    const memberId = socket.data.viewer.id;
    const inTurn = readsOf.get(memberId) ?? pLimit(1);
    readsOf.set(memberId, inTurn);
    return inTurn(async () => {
      if (!socket.connected) throw new Error('the socket is closed');
      return read();
    });
  }

  /** Closes the sockets of ended sessions. */
  function closeEndedSessions(topic: Topic, events: readonly LiveEvent[]): void {
    if (!events.some(({ kind }) => kind === 'sessions-ended' || kind === 'member-status-changed')) return;
    for (const socket of socketsOf.get(Number(topic.split(':')[1])) ?? []) closeIfEnded(socket, events);
  }

  function closeIfEnded(socket: LiveSocket, events: readonly LiveEvent[]): void {
    const { viewer } = socket.data;
    if (endsSession(events, viewer)) socket.disconnect(true);
    // The browser of the session reconnects with its new token, once it has received it; a copy of the old cookie is
    // refused.
    else if (
      events.some(
        (event) =>
          event.kind === 'sessions-ended' && event.hasNewToken === true && event.except === viewer.sessionId,
      )
    )
      setTimeout(() => socket.disconnect(true), newTokenMs).unref();
  }

  function setTyping(socket: LiveSocket, wanted: string, isTyping: boolean): void {
    const topic = authorizeTopic(wanted, socket.data.viewer);
    if (topic === null || !isQuestion(topic) || !socket.rooms.has(topic)) return;
    const { typing, startingToType, viewer } = socket.data;
    if (!isTyping) stopTyping(socket, topic);
    else if (typing === topic) typingPresence.start(topic, viewer.id);
    else if (startingToType?.topic !== topic) startTyping(socket, topic);
  }

  function startTyping(socket: LiveSocket, topic: QuestionTopic): void {
    endTyping(socket);
    socket.data.startingToType = { topic };
    // A failed check is repeated with the next signal.
    checkTyping(socket).catch(() => {});
  }

  /** Runs one check of a socket at a time, however often the member starts to type. */
  async function checkTyping(socket: LiveSocket): Promise<void> {
    const { data } = socket;
    if (data.isCheckingTyping) return;
    data.isCheckingTyping = true;
    try {
      for (let checked = data.startingToType; checked !== null; checked = data.startingToType) {
        const { topic } = checked;
        const isShown = await readInTurn(socket, () =>
          isTypingShown(data.viewer, Number(topic.split(':')[1])),
        );
        if (data.startingToType !== checked) continue;
        data.startingToType = null;
        if (!isShown || !socket.rooms.has(topic)) continue;
        data.typing = topic;
        typingPresence.start(topic, data.viewer.id);
      }
    } finally {
      data.isCheckingTyping = false;
      data.startingToType = null;
    }
  }

  function checkTypingAgain(socket: LiveSocket): void {
    const topic = socket.data.typing ?? socket.data.startingToType?.topic;
    if (topic !== undefined) startTyping(socket, topic);
  }

  function stopTyping(socket: LiveSocket, topic: QuestionTopic): void {
    if (socket.data.typing === topic) endTyping(socket);
    if (socket.data.startingToType?.topic === topic) socket.data.startingToType = null;
  }

  /** The question was hidden or deleted. */
  function endTypingOn(topic: QuestionTopic): void {
    const { adapter, sockets } = io.of('/');
    for (const id of adapter.rooms.get(topic) ?? []) {
      const socket = sockets.get(id);
      if (socket !== undefined) stopTyping(socket, topic);
    }
  }

  function endTyping(socket: LiveSocket): void {
    const { typing, viewer } = socket.data;
    if (typing === null) return;
    socket.data.typing = null;
    const others = [...(socketsOf.get(viewer.id) ?? [])].filter((other) => other.data.typing === typing);
    if (others.length === 0) typingPresence.end(typing, viewer.id);
  }

  /** Members do not receive their own typing signals. */
  function sendTyping(topic: Topic, members: readonly number[]): void {
    if (listeners(topic) === 0) return;
    const count = members.length;
    io.to(topic).except(members.map(typingRoom)).emit('typing', { topic, count });
    for (const id of members)
      for (const socket of socketsOf.get(id) ?? [])
        if (socket.rooms.has(topic)) socket.emit('typing', { topic, count: count - 1 });
  }
}

const subscription = z.object({ topic: z.string().max(60), since: z.string().max(2_000) });

/**
 * The room of all sockets of a member, to exclude them. It is not the member's topic, whose events a socket receives only
 * after it has joined: events that come earlier are in the response to its subscription.
 */
const typingRoom = (memberId: number) => `typing:${memberId}`;

const memberTopic = (viewer: Viewer): Topic => `member:${viewer.id}`;

const isQuestion = (topic: Topic): topic is QuestionTopic => topic.startsWith('question:');

/** The topic if the viewer may join it, else null. */
function authorizeTopic(topic: string, viewer: Viewer): Topic | null {
  if (topic === 'feeds' || topic === 'answers' || topic === 'activity' || topic === 'tags') return topic;
  if (topic === 'moderation') return canModerate(viewer.memberStatus.role) ? topic : null;
  if (topic === memberTopic(viewer)) return memberTopic(viewer);
  const one = /^(question|profile):([1-9]\d{0,15})$/.exec(topic);
  if (one === null) return null;
  return one[1] === 'question' ? `question:${Number(one[2])}` : `profile:${Number(one[2])}`;
}

/** Whether an event ended the viewer's session or changed the viewer's role or status. The socket then reconnects. */
function endsSession(events: readonly LiveEvent[], { sessionId }: Viewer): boolean {
  return events.some((event) => {
    if (event.kind === 'member-status-changed') return true;
    if (event.kind !== 'sessions-ended') return false;
    return event.sessionId === null ? sessionId !== event.except : sessionId === event.sessionId;
  });
}

/** Releases the handshake request, which is most of a socket's memory and no longer needed. */
function releaseHandshake(socket: LiveSocket): void {
  Reflect.set(socket.conn, 'request', undefined);
  Reflect.set(socket, 'handshake', undefined);
}

/** Closes a connection that sends more than a browser ever does, including invalid messages. */
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
    if (count > socketLimits.maxMessagesPerSecond) connection.close(true);
  });
}
