import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApi } from '../../../src/http/openapi'
import { type Documented, listOperations, loadDocument } from '../../../src/site/document'
import { type ExampleInput, exampleInput } from '../../../src/site/reference/examples'
import { type Language, languages, toSample } from '../../../src/site/reference/samples'
import { version } from '../../../src/version'
import { pathWithCurl } from '../../curl-path'
import { programNamed } from '../../debian'
import { projectRoot } from '../../documents'
import { world } from '../../world'

/** Writes that can be repeated. */
const WRITES = [
  ...['posts.create', 'posts.update', 'posts.resolve', 'posts.unresolve', 'comments.create', 'comments.update'],
  ...['channels.join', 'threads.create', 'messages.create', 'messages.createDirect', 'messages.update'],
  ...['me.updateProfile', 'me.updatePreferences', 'workspace.update', 'tokens.createMine', 'markdown.render'],
  ...['inbox.readAll', 'reads.set', 'reads.setAll', 'follows.set', 'drafts.save'],
]

loadDocument(openApi(version))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-samples-'))
  const client = join(folder, 'node_modules/parley-client')
  mkdirSync(client, { recursive: true })
  writeFileSync(join(client, 'package.json'), '{ "name": "parley-client", "type": "module", "exports": "./index.ts" }')
  writeFileSync(join(client, 'index.ts'), `export * from '${join(projectRoot, 'src/client/index.ts')}'`)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the samples of the reference', () => {
  test('in TypeScript use the client with the right types, for every operation', async () => {
    const sources = join(folder, 'checked')
    mkdirSync(sources)
    for (const operation of listOperations()) {
      const sample = toSample('typescript', operation, exampleInput(operation), 'https://parley.example.com')
      writeFileSync(join(sources, `${operation.name}.ts`), `${sample}\n`)
    }
    const options = {
      extends: join(projectRoot, 'tsconfig.json'),
      compilerOptions: { noEmit: true, noUnusedLocals: false, typeRoots: [join(projectRoot, 'node_modules/@types')] },
      include: ['*.ts'],
    }
    writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify(options))
    const check = Bun.spawnSync([join(projectRoot, 'node_modules/.bin/tsc'), '-p', sources])
    expect(check.stdout.toString()).toBe('')
    expect(check.exitCode).toBe(0)
  })

  test('in curl and Python have no syntax errors, for every operation', () => {
    const samplesIn = (language: Language) =>
      listOperations().map((operation) =>
        toSample(language, operation, exampleInput(operation), 'https://parley.example.com'),
      )
    const commands = join(folder, 'all.sh')
    writeFileSync(commands, samplesIn('curl').join('\n'))
    expect(Bun.spawnSync(['bash', '-n', commands]).stderr.toString()).toBe('')
    const programs = join(folder, 'all.json')
    writeFileSync(programs, JSON.stringify(samplesIn('python')))
    const compile = 'import json, sys\nfor sample in json.load(open(sys.argv[1])): compile(sample, "sample", "exec")'
    expect(Bun.spawnSync([programNamed('python3'), '-c', compile, programs]).stderr.toString()).toBe('')
  })

  test('in every language perform all reads, and the writes that can be repeated', async () => {
    const { root, ada, bot, general, baseUrl } = await world()
    // The example of a search names this channel.
    await root.channels.create({ name: 'releases' })
    const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await root.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
    await root.drafts.save({ subject_id: post.id, content_markdown: 'I would' })
    const thread = await root.threads.create({ title: 'Plans', member_ids: [ada.id] })
    const message = await root.messages.create({ thread_id: thread.id, content_markdown: 'Hello.' })
    const { next_cursor: evt } = await root.events.list({ after: 'now' })
    const ids = {
      ...{ post: post.id, cmt: comment.id, chan: general.id, thr: thread.id, msg: message.id, mem: ada.id },
      ...{ app: bot.id, evt },
    }
    const chosen = listOperations()
      .filter(({ name, method }) => method === 'GET' || WRITES.includes(name))
      .map((operation) => ({ operation, input: withIds(exampleInput(operation), ids) }))
      .filter(({ operation, input }) => hasAllIds(operation, input, Object.values(ids)))
    expect(chosen.length).toBeGreaterThan(50)

    for (const language of languages) {
      const outcomes = await run(
        language,
        chosen.map(({ operation, input }) => toSample(language, operation, input, baseUrl)),
        root.token,
      )
      const failed = outcomes.flatMap((outcome, at) =>
        outcome === 'ok' ? [] : [`${chosen[at]!.operation.name}: ${outcome}`],
      )
      expect([language, failed]).toEqual([language, []])
    }
  }, 300_000)
})

/** The input with ids of records that exist. */
const withIds = (input: ExampleInput, ids: Record<string, string>): ExampleInput =>
  JSON.parse(JSON.stringify(input).replace(/\b([a-z]+)_[0-9a-z]{26,}\b/g, (id, prefix) => ids[prefix] ?? id))

/** Records that nobody has created here cannot be read. */
const hasAllIds = ({ path }: Documented, input: ExampleInput, ids: string[]) =>
  [...path.matchAll(/\{(\w+)\}/g)].every(([, name]) => ids.includes(input.path[name!]!))

/** Runs each sample on its own, all in one process; `ok`, or how each has failed. */
async function run(language: Language, samples: string[], token: string): Promise<string[]> {
  const input = join(folder, `${language}.json`)
  writeFileSync(input, JSON.stringify(samples))
  if (language === 'typescript')
    for (const [at, sample] of samples.entries()) writeFileSync(join(folder, `sample-${at}.ts`), sample)
  writeFileSync(join(folder, 'run.ts'), RUN_TYPESCRIPT)
  writeFileSync(join(folder, 'run.py'), RUN_PYTHON)
  const command = {
    curl: ['bash', '-c', samples.map(toCheckedCommand).join('\n')],
    typescript: [process.execPath, 'run.ts', String(samples.length)],
    python: [programNamed('python3'), 'run.py', input],
  }[language]
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: pathWithCurl(), HOME: process.env.HOME, PARLEY_TOKEN: token },
    stderr: 'inherit',
  })
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  expect(lines.length).toBe(samples.length)
  return lines
}

/** The command as it is shown, and after it a line with how it went: errors of the API are JSON with a `code`. */
const toCheckedCommand = (sample: string) =>
  `out=$(${sample.replace(/^curl /, 'curl -s ')}); status=$?
case "$status$out" in 0*'"request_id":'*) echo "$out" ;; 0*) echo ok ;; *) echo "exit $status" ;; esac`

const RUN_TYPESCRIPT = `for (let at = 0; at < Number(process.argv[2]); at++)
  console.log(await import(\`./sample-\${at}.ts\`).then(() => 'ok', (error) => String(error)))`

const RUN_PYTHON = `import contextlib, io, json, sys
for sample in json.load(open(sys.argv[1])):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(sample, {})
        print("ok")
    except Exception as error:
        print(error, error.read() if hasattr(error, "read") else "")
`
