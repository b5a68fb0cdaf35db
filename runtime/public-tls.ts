import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { readCertificate, readCertificatePair, type SettingFile } from './certificate-files.ts';
import { ConfigError } from './config.ts';
import { reasonOf } from './error-words.ts';

/** Settings of TLS on the public ports. */
export interface PublicTlsSettings {
  GSQ_HTTP_TLS_CERT: string | undefined;
  GSQ_HTTP_TLS_KEY: string | undefined;
  GSQ_GRPC_TLS_CERT: string | undefined;
  GSQ_GRPC_TLS_KEY: string | undefined;
  GSQ_GRPC_TLS_CLIENT_CA: string | undefined;
}

/** The certificate files and the key file of a public port (REST or gRPC) that uses TLS. */
export interface TlsFiles {
  certificate: SettingFile;
  key: SettingFile;
  /** Certificates of the authorities that sign client certificates. If absent, no client certificate is requested. */
  clientAuthority?: SettingFile;
}

/**
 * Returns the TLS files of the REST port. Returns undefined if the port uses no TLS. Throws ConfigError if a setting is
 * missing or a file cannot be used.
 */
export function httpTls(settings: PublicTlsSettings): TlsFiles | undefined {
  return tlsFiles(settings, 'GSQ_HTTP_TLS_CERT', 'GSQ_HTTP_TLS_KEY');
}

/**
 * Returns the TLS files of the public gRPC port. Returns undefined if the port uses no TLS. Throws ConfigError if a
 * setting is missing or a file cannot be used.
 */
export function grpcTls(settings: PublicTlsSettings): TlsFiles | undefined {
  return tlsFiles(settings, 'GSQ_GRPC_TLS_CERT', 'GSQ_GRPC_TLS_KEY', 'GSQ_GRPC_TLS_CLIENT_CA');
}

type TlsSetting = keyof PublicTlsSettings;

function tlsFiles(
  settings: PublicTlsSettings,
  certificateName: TlsSetting,
  keyName: TlsSetting,
  authorityName?: TlsSetting,
): TlsFiles | undefined {
  const fileOf = (setting: TlsSetting | undefined): SettingFile | undefined => {
    const path = setting && settings[setting];
    return setting && path !== undefined ? { setting, path } : undefined;
  };
  const certificate = fileOf(certificateName);
  const key = fileOf(keyName);
  const clientAuthority = fileOf(authorityName);
  if (certificate && key) {
    const files = { certificate, key, ...(clientAuthority && { clientAuthority }) };
    readTlsFiles(files);
    return files;
  }
  const given = certificate ?? key ?? clientAuthority;
  if (!given) return undefined;
  const missing = [certificateName, keyName].filter(name => settings[name] === undefined);
  throw new ConfigError(
    `${given.setting}: is set without ${missing.join(' and ')}; set ${certificateName} and ${keyName}, or none of them`,
  );
}

/** Reads and checks the TLS files of a port. Throws ConfigError if a file cannot be used. */
export function readTlsFiles({ certificate, key, clientAuthority }: TlsFiles): SecureContextOptions {
  const pair = readCertificatePair(certificate, key);
  const options: SecureContextOptions = {
    cert: pair.certificate,
    key: pair.key,
    minVersion: 'TLSv1.2',
    ...(clientAuthority && { ca: readCertificate(clientAuthority) }),
  };
  try {
    // Finds errors in all certificates of the files. `readCertificate` checks only the first certificate of a file.
    createSecureContext(options);
  } catch (error) {
    const names = [certificate, key, clientAuthority].flatMap(file => file?.setting ?? []);
    throw new ConfigError(`${names.join(', ')}: TLS cannot use these files: ${reasonOf(error)}`);
  }
  return options;
}
