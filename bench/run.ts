import { benchRead } from './read'
import { benchStreams } from './streams'
import { benchWrite } from './write'

const benches: Record<string, () => Promise<void>> = { read: benchRead, write: benchWrite, streams: benchStreams }
const wanted = process.argv.slice(2).filter((word) => word in benches)

for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) await benches[name]!()
