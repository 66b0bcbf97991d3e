import type { ConnectionOptions } from 'node:tls';

/** How TLS is spoken with a server. Plain data: hosts are told it, too. */
export interface Tls {
  rejectUnauthorized: boolean;
  ca?: string;
  /** The certificate may be made out to any host, as long as it is trusted. */
  anyHost?: true;
}

/** The same as options of `tls.connect`; whoever connects adds the name of the host. */
export function tlsOptions({ rejectUnauthorized, ca, anyHost }: Tls): ConnectionOptions {
  return {
    rejectUnauthorized,
    ...(ca !== undefined && { ca }),
    ...(anyHost && { checkServerIdentity: () => undefined }),
  };
}
