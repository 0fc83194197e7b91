import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { programNamed } from '../../debian'
import { read } from '../../documents'

/** Where a proxy listens, and the ports of the nodes behind it. */
export interface Ports {
  plain: number
  tls: number
  nodes: readonly number[]
}

export interface ProxyCommand {
  command: string[]
  env: Record<string, string>
}

/** Whether this machine can listen on IPv6. */
const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

/** nginx with deploy/nginx.conf, with every file in one folder. It may have to be installed. */
export async function prepareNginx(folder: string, ports: Ports): Promise<ProxyCommand> {
  const program = programNamed('nginx')
  const openssl = programNamed('openssl')
  await Bun.$`${openssl} req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout key.pem -out cert.pem`
    .cwd(folder)
    .quiet()
  writeFileSync(join(folder, 'parley.conf'), adaptNginx(read('deploy/nginx.conf'), folder, ports))
  writeFileSync(join(folder, 'nginx.conf'), aroundNginx(folder))
  return { command: [program, '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], env: {} }
}

/** The file as it is, but for names, ports and certificates of this machine, and a line for each node. */
function adaptNginx(file: string, folder: string, { plain, tls, nodes }: Ports) {
  return file
    .split('\n')
    .filter((line) => hasIpv6 || !line.includes('listen [::]'))
    .flatMap((line) =>
      /^\s*server 127\.0\.0\.1:3000/.test(line) ? nodes.map((port) => line.replace('3000', String(port))) : line,
    )
    .join('\n')
    .replace(/^(\s*listen (?:\[::\]:)?)80;/gm, `$1${plain};`)
    .replace(/^(\s*listen (?:\[::\]:)?)443 /gm, `$1${tls} `)
    .replaceAll(/^(\s*server_name) parley\.example\.com;/gm, '$1 parley.example.com localhost;')
    .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, join(folder, 'cert.pem'))
    .replace(/\/etc\/letsencrypt\S+privkey\.pem/, join(folder, 'key.pem'))
}

/** What surrounds it in /etc/nginx/nginx.conf. */
const aroundNginx = (folder: string) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
events {}
http {
    access_log off;
    error_log ${folder}/error.log warn;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder}/${each};`).join(' ')}
    include ${folder}/parley.conf;
}
`

/** Caddy with deploy/Caddyfile, with every file in one folder. It may have to be installed. */
export function prepareCaddy(folder: string, ports: Ports): ProxyCommand {
  const program = programNamed('caddy')
  writeFileSync(join(folder, 'Caddyfile'), adaptCaddy(read('deploy/Caddyfile'), ports))
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  return { command: [program, 'run', '--adapter', 'caddyfile', '--config', 'Caddyfile'], env }
}

/** The file as it is, but for names and ports of this machine, a certificate that nobody has to be asked for, and all nodes. */
const adaptCaddy = (file: string, { tls, nodes }: Ports) =>
  `{
	admin off
	auto_https disable_redirects
	skip_install_trust
}
${file
  .replace('parley.example.com {', `https://localhost:${tls} {\n\ttls internal`)
  .replace('127.0.0.1:3000', nodes.map((port) => `127.0.0.1:${port}`).join(' '))
  .replace(/#(health_)/g, nodes.length > 1 ? '$1' : '#$1')}`
