import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, secretFile } from './config.ts';
import { reasonOf } from './error-words.ts';

/** A file whose path is the value of a setting. Errors about the file contain the name of the setting. */
export interface SettingFile {
  setting: string;
  path: string;
}

/** Reads a certificate in PEM format. Throws ConfigError if the certificate cannot be read or has expired. */
export function readCertificate({ setting, path }: SettingFile): Buffer {
  let pem: Buffer;
  let until: string;
  try {
    pem = readFileSync(path);
    until = new X509Certificate(pem).validTo;
  } catch (error) {
    throw new ConfigError(
      `${setting}: ${path} is not a readable certificate in PEM format: ${reasonOf(error)}`,
    );
  }
  if (Date.parse(until) > Date.now()) return pem;
  throw new ConfigError(`${setting}: the certificate in ${path} expired on ${until}; create a new one`);
}

/** A certificate and its private key, both in PEM format. */
export interface CertificatePair {
  /** The certificate, followed by the certificates of intermediate authorities, if there are any. */
  certificate: Buffer;
  key: Buffer;
}

/**
 * Reads a certificate and its private key. Throws ConfigError if a file cannot be read, if users other than the owner
 * have access to the key, or if the key does not belong to the certificate.
 */
export function readCertificatePair(certificateFile: SettingFile, keyFile: SettingFile): CertificatePair {
  const certificate = readCertificate(certificateFile);
  const { setting, path } = keyFile;
  const key = secretFile(setting, path);
  if (!key) throw new ConfigError(`${setting}: there is no file ${path}`);
  if (!isKeyOf(key, keyFile, certificate)) {
    throw new ConfigError(`${setting}: ${path} is not the key of the certificate in ${certificateFile.path}`);
  }
  return { certificate, key };
}

function isKeyOf(key: Buffer, { setting, path }: SettingFile, certificate: Buffer): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new ConfigError(
      `${setting}: ${path} is not a readable private key in PEM format without a passphrase: ${reasonOf(error)}`,
    );
  }
}
