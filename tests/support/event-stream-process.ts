import { pino } from 'pino';
import { z } from 'zod';
import { openDatabase } from '#server/core/database.ts';
import { followEventStream } from '#server/core/event-stream.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';

/**
 * A node that only follows the stream, as a process of its own: prints what it hands out on the topics it is told, one
 * line of JSON a batch. A topic given with a position is caught up on first, as for a browser that comes back.
 */

const { connection, topics } = z
  .object({
    connection: z.looseObject({}),
    topics: z.array(
      z.object({ topic: z.templateLiteral(['question:', z.number()]), since: z.string().nullable() }),
    ),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const db = openDatabase({ connection, maxConnections: 2 });
const heard = new Set<Topic>();
const stream = await followEventStream({
  db,
  connection,
  log: pino({ level: 'error' }, pino.destination(2)),
  onEvents(events, position) {
    for (const [topic, batch] of Map.groupBy(events, (each) => each.topic))
      if (heard.has(topic)) tell(topic, position, { events: batch.map((each) => each.event) });
  },
  onGap: (position) => tell('feeds', position, { events: [], gap: true }),
});
for (const { topic, since } of topics) {
  const older = await stream.readSince(topic, since ?? stream.position());
  heard.add(topic);
  const { position, ...caught } = stream.catchUp(topic, older);
  tell(topic, position, caught);
}

function tell(topic: Topic, position: string, told: { events: LiveEvent[]; gap?: boolean }): void {
  process.stdout.write(`${JSON.stringify({ topic, position, gap: false, ...told })}\n`);
}
