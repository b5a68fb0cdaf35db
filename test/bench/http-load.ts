import { connect } from 'node:net';

export interface Load {
  /** `host:port`. */
  address: string;
  /** A whole HTTP/1.1 request, with Content-Length where it has a body. */
  request: Buffer;
  connections: number;
  seconds: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Keeps so many connections busy with one request each, and resolves to answers a second. Rejects on any but 200. */
export async function measure({ address, request, connections, seconds }: Load): Promise<number> {
  const [host = '', port = ''] = address.split(':');
  const endsAt = performance.now() + seconds * 1000;
  let answers = 0;
  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), host, () => socket.write(request));
      socket.setNoDelay(true);
      let pending = Buffer.alloc(0);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', chunk => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const headEnd = pending.indexOf(HEAD_END);
        if (headEnd < 0) return;
        const head = pending.toString('latin1', 0, headEnd);
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
        if (pending.length < headEnd + HEAD_END.length + length) return;
        if (!head.startsWith('HTTP/1.1 200')) {
          socket.destroy(new Error(`answered ${head.split('\r\n', 1)[0]}`));
          return;
        }
        answers++;
        pending = Buffer.alloc(0);
        if (performance.now() < endsAt) socket.write(request);
        else socket.destroy();
      });
    });
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, drive));
  return (answers * 1000) / (performance.now() - startedAt);
}
