import http from 'node:http';

/** What a bare server says at each path: the very bytes of an answer, and its headers. */
export type CannedResponses = Record<string, { headers: Record<string, string>; body: string }>;

/** Nothing but `node:http` writing bytes that lie ready: what a page can cost at the least. `body` is base64. */
process.once('message', (said: CannedResponses) => {
  const answers = new Map(
    Object.entries(said).map(([path, { headers, body }]) => {
      const bytes = Buffer.from(body, 'base64');
      return [path, { headers: { ...headers, 'content-length': String(bytes.length) }, bytes }];
    }),
  );
  const server = http.createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, answer.headers);
    response.end(answer.bytes);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(address === null || typeof address === 'string' ? 0 : address.port);
  });
});
