import { pino } from 'pino';
import { z } from 'zod';
import { openDatabase } from '#server/core/database.ts';
import { followEventStream } from '#server/core/event-stream.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';

/**
 * A node in its own process that only follows the event stream. Prints the events of the given topics as JSON, one line
 * per batch. If a topic has a position, its events since then are replayed first, as for a browser that reconnects.
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
const subscribed = new Set<Topic>();
const stream = await followEventStream({
  db,
  connection,
  log: pino({ level: 'error' }, pino.destination(2)),
  onEvents(events, position) {
    for (const [topic, batch] of Map.groupBy(events, (each) => each.topic))
      if (subscribed.has(topic)) report(topic, position, { events: batch.map((each) => each.event) });
  },
  onGap: (position) => report('feeds', position, { events: [], gap: true }),
});
for (const { topic, since } of topics) {
  const older = await stream.readSince(topic, since ?? stream.position());
  subscribed.add(topic);
  const { position, ...caught } = stream.catchUp(topic, older);
  report(topic, position, caught);
}

function report(topic: Topic, position: string, batch: { events: LiveEvent[]; gap?: boolean }): void {
  process.stdout.write(`${JSON.stringify({ topic, position, gap: false, ...batch })}\n`);
}
