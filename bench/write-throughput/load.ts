import net from 'node:net';
import { performance } from 'node:perf_hooks';

export type Request = { method: string; path: string; cookie: string; body?: string };

/** `refused`: responses other than success, by status. Times in milliseconds. */
export type LoadFigures = {
  perSecond: number;
  /** Including requests during warm-up and shutdown. */
  answered: number;
  median: number;
  p99: number;
  refused: Record<string, number>;
};

/**
 * Starts `clients` connections that each send the next request when the previous response is complete. Measures for
 * `seconds` after a second of warm-up.
 */
export async function runLoad(
  address: string,
  { clients, seconds, next }: { clients: number; seconds: number; next: () => Request },
): Promise<LoadFigures> {
  const times: number[] = [];
  let answered = 0;
  const refused: Record<string, number> = {};
  const from = performance.now() + 1_000;
  const until = from + seconds * 1_000;
  const { hostname, port } = new URL(address);
  const running = Array.from({ length: clients }, () => client(Number(port), hostname));
  await Promise.all(running);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond: times.length / seconds, answered, median: at(0.5), p99: at(0.99), refused };

  function client(clientPort: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let begun = 0;
      let answer = '';
      const socket = net.connect(clientPort, host, send);
      socket.setNoDelay(true).setEncoding('latin1');
      socket.on('data', (piece: string) => {
        answer += piece;
        if (!isCompleteResponse(answer)) return;
        const now = performance.now();
        const status = answer.slice(9, 12);
        answer = '';
        answered++;
        if (!status.startsWith('2')) refused[status] = (refused[status] ?? 0) + 1;
        else if (begun >= from && now < until) times.push(now - begun);
        if (now < until) return send();
        socket.destroy();
        return resolve();
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));

      function send() {
        const { method, path, cookie, body = '' } = next();
        begun = performance.now();
        socket.write(
          `${method} ${path} HTTP/1.1\r\nhost: ${host}:${clientPort}\r\ncookie: ${cookie}\r\n` +
            `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      }
    });
  }
}

/** Whether an HTTP/1.1 response is complete. */
export function isCompleteResponse(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, end + 2))?.[1];
  if (length !== undefined) return answer.length >= end + 4 + Number(length);
  return answer.startsWith('HTTP/1.1 204') || answer.endsWith('0\r\n\r\n');
}
