import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { createLogger } from '../../runtime/log.ts';
import { type HandshakeLimits, TlsTerminator } from '../../runtime/tls-terminator.ts';
import { Authority, type CertificatePaths } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

/** Options of a TCP server with a TLS terminator in a test. */
export interface TlsFixtureOptions {
  protocol?: 'h2' | 'http/1.1';
  /** True if the TLS port accepts client certificates that the certificate authority of the test has signed. */
  clientCertificates?: boolean;
  limits?: HandshakeLimits;
  /** True if the TCP server behind the TLS terminator allows half-open connections, as node:http does. */
  allowHalfOpen?: boolean;
}

/** A TLS terminator for tests, with its certificate files and its log lines. */
export class TlsFixture {
  readonly authority = new Authority(scratchDirectory());
  readonly paths: CertificatePaths = this.authority.issue('server', ['127.0.0.1', 'localhost']);
  readonly terminator: TlsTerminator;
  /**
   * Emits the event `line` for each log line of the TLS terminator. The event contains level, message and fields of the
   * line.
   */
  readonly log = new EventEmitter();

  constructor({ protocol = 'http/1.1', clientCertificates = false, limits }: TlsFixtureOptions = {}) {
    const log = createLogger('test', 'silent');
    for (const level of ['info', 'warn', 'error'] as const) {
      log[level] = (fields: object, message?: string) =>
        void this.log.emit('line', { level, message, ...fields });
    }
    const files = {
      certificate: { setting: 'CERT', path: this.paths.certificate },
      key: { setting: 'KEY', path: this.paths.key },
      ...(clientCertificates && { clientAuthority: { setting: 'CA', path: this.authority.path } }),
    };
    const port = { name: 'the port', protocol, files, log, now: Date.now };
    this.terminator = new TlsTerminator(port, limits, 10);
  }

  /** Resolves to the next log line of the TLS terminator. */
  async nextLine(): Promise<{ level: string; message: string; cause?: string; peer?: string; err?: Error }> {
    const [line] = await once(this.log, 'line');
    return line;
  }

  /**
   * Certificate of the authority that issued the certificate of the TLS port. A client needs it to verify the TLS port.
   */
  get ca(): Buffer {
    return readFileSync(this.authority.path);
  }
}

/**
 * Starts a TCP server whose connections go through a TLS terminator. The server sends back all bytes that it receives.
 */
export async function terminatedPort(t: TestContext, options?: TlsFixtureOptions) {
  const fixture = new TlsFixture(options);
  const accept = fixture.terminator.listenerFor(socket => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  const server = createServer({ allowHalfOpen: options?.allowHalfOpen ?? false }, accept).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    fixture.terminator.close();
    server.close();
  });
  const open = (more: ConnectionOptions = {}): TLSSocket => {
    const socket = connect({ host: '127.0.0.1', port, ca: fixture.ca, ...more });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  return { fixture, port, open };
}

/**
 * Sends a byte over a TLS connection, and waits until the server has sent the byte back. Rejects if the connection ends
 * first.
 */
export async function echoes(socket: TLSSocket): Promise<void> {
  const ended = once(socket, 'close').then(() => {
    throw new Error('the connection ended');
  });
  socket.write('.');
  await Promise.race([once(socket, 'data'), ended]);
}
