import http from 'node:http';

/** Responses of the bare server by path: headers and body. */
export type CannedResponses = Record<string, { headers: Record<string, string>; body: string }>;

/** A lower bound for the cost of a page: `node:http` writes stored bytes. `body` is base64. */
process.once('message', (responses: CannedResponses) => {
  const answers = new Map(
    Object.entries(responses).map(([path, { headers, body }]) => {
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
