import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

/**
 * Makes X.509 certificates for tests. Node itself can read certificates, but not make them. This file encodes the few
 * DER structures that TLS needs (RFC 5280).
 */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  text: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
};
const OID = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
};
const DAY_MS = 86_400_000;

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(TAG.sequence, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Buffer): Buffer => der(TAG.bits, Buffer.from([0]), content);
const algorithm = sequence(oid(OID.ecdsaWithSha256));
const TRUE = der(TAG.boolean, Buffer.from([0xff]));

function nameOf(commonName: string): Buffer {
  return sequence(der(TAG.set, sequence(oid(OID.commonName), der(TAG.text, Buffer.from(commonName)))));
}

/** Encodes a time for a certificate, in the format YYMMDDHHMMSSZ. */
function timeOf(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(TAG.time, Buffer.from(`${digits}Z`));
}

/**
 * Encodes the subject alternative names of a certificate: IPv4 addresses as addresses, and all other hosts as DNS
 * names.
 */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map(host =>
    isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  );
  return sequence(oid(OID.subjectAltName), der(TAG.octets, sequence(...names)));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

interface Wish {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signedBy: KeyObject;
  until: number;
  extensions: Buffer[];
}

function signedCertificate({ subject, issuer, publicKey, signedBy, until, extensions }: Wish): string {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const signed = sequence(
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, serial),
    algorithm,
    nameOf(issuer),
    sequence(timeOf(until - 30 * DAY_MS), timeOf(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  return pem('CERTIFICATE', sequence(signed, algorithm, bits(sign('sha256', signed, signedBy))));
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Paths of the files with a certificate and its key. */
export interface CertificatePaths {
  certificate: string;
  key: string;
}

/** A certificate authority for tests, with its own key. */
export class Authority {
  readonly #name = 'the authority of a test';
  readonly #keys = newKeys();
  readonly #directory: string;
  /** Path of the file that contains the certificate of this certificate authority. */
  readonly path: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'ca.pem');
    const isAuthority = sequence(oid(OID.basicConstraints), TRUE, der(TAG.octets, sequence(TRUE)));
    const wish = { subject: this.#name, issuer: this.#name, until: Date.now() + DAY_MS };
    const keys = { publicKey: this.#keys.publicKey, signedBy: this.#keys.privateKey };
    writeFileSync(this.path, signedCertificate({ ...wish, ...keys, extensions: [isAuthority] }));
  }

  /**
   * Makes a certificate and a key for these hosts. Writes them to the files NAME.pem and NAME.key, and returns the
   * paths.
   */
  issue(name: string, hosts: readonly string[], until = Date.now() + DAY_MS): CertificatePaths {
    const { publicKey, privateKey } = newKeys();
    const paths = {
      certificate: join(this.#directory, `${name}.pem`),
      key: join(this.#directory, `${name}.key`),
    };
    const wish = { subject: name, issuer: this.#name, publicKey, signedBy: this.#keys.privateKey, until };
    writeFileSync(paths.certificate, signedCertificate({ ...wish, extensions: [alternativeNames(hosts)] }));
    writeFileSync(paths.key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    return paths;
  }

  /** Makes a certificate for these hosts. Returns the TLS settings for the process that uses the certificate. */
  settingsFor(name: string, hosts: readonly string[], until?: number): Record<string, string> {
    const { certificate, key } = this.issue(name, hosts, until);
    return {
      GSQ_INTERNAL_TLS_CERT: certificate,
      GSQ_INTERNAL_TLS_KEY: key,
      GSQ_INTERNAL_TLS_CA: this.path,
    };
  }
}
