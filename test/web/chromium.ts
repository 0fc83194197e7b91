import { existsSync } from 'node:fs'

const PLACES = [
  process.env.PARLEY_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const find = () => PLACES.find((place) => place && existsSync(place))

/** Where Chromium is. Where it is not, it is installed if that can be done without asking anyone. */
export async function chromiumPath(): Promise<string> {
  if (!find()) await install()
  const found = find()
  if (!found) throw new Error('The tests in the browser need Chromium: install it, or name it in PARLEY_CHROMIUM.')
  return found
}

async function install() {
  const isRoot = process.getuid?.() === 0
  if (!Bun.which('apt-get') || !(isRoot || Bun.which('sudo'))) return
  console.log('Installing Chromium for the tests in the browser …')
  const asRoot = isRoot ? [] : ['sudo', '-n']
  await Bun.$`${asRoot} apt-get update -qq`.nothrow().quiet()
  const packages = 'apt-get install -y -qq --no-install-recommends chromium'.split(' ')
  const { exitCode, stderr } = await Bun.$`${[...asRoot, ...packages]}`
    .env({ ...process.env, DEBIAN_FRONTEND: 'noninteractive' })
    .nothrow()
    .quiet()
  if (exitCode !== 0) console.error(stderr.toString())
}
