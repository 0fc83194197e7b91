import { existsSync } from 'node:fs'

/** Programs that tests need, and their Debian packages. */
const packages = {
  nginx: 'nginx-light',
  caddy: 'caddy',
  openssl: 'openssl',
  python3: 'python3',
  'systemd-analyze': 'systemd',
} as const

const path = `${process.env.PATH}:/usr/sbin:/sbin`

/** The path of a program. Installs it if it is missing and can be installed unattended. */
export function programNamed(name: keyof typeof packages): string {
  if (!Bun.which(name, { PATH: path })) install([packages[name]])
  const found = Bun.which(name, { PATH: path })
  if (!found) throw new Error(`This test needs ${name}. On Debian: apt-get install ${packages[name]}`)
  return found
}

/** Installs all missing programs at once. */
export function ensurePrograms() {
  const missing = Object.entries(packages).filter(([name]) => !Bun.which(name, { PATH: path }))
  if (missing.length > 0) install(missing.map(([, each]) => each))
}

/** Only as root in a container, where installing starts no services. */
function install(names: readonly string[]) {
  const canInstall = process.getuid?.() === 0 && Bun.which('apt-get') && !existsSync('/run/systemd/system')
  if (!canInstall) return
  console.log(`Installing ${names.join(', ')} for the tests …`)
  const apt = (...words: string[]) =>
    Bun.spawnSync(['apt-get', '-qq', ...words], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...names)
}
