import { playStory } from './play'

/** `npm run examples`: plays the story, and writes what was recorded. */
const { examples } = await playStory()
await Bun.write(`${import.meta.dir}/../../docs/examples.json`, `${JSON.stringify(examples, null, 1)}\n`)
process.exit(0)
