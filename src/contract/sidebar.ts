import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Id, Nullable, Shape } from './shapes'

/** How many channels a member can put in each section. All of them are in one response. */
export const MAX_FAVORITES = 200
export const MAX_SORTED_CHANNELS = 1_000

export const Sidebar = Shape('Sidebar', {
  favorite_ids: Type.Array(Id, { description: 'Your favorite channels, in your order.' }),
  channel_ids: Type.Array(Id, {
    description: 'The other channels that you put in an order. The rest of your channels follows by name.',
  }),
})
export type Sidebar = Static<typeof Sidebar>

/** Which channel was moved. The order of all of them is too long for an event of each move. */
export const SidebarChange = Shape('SidebarChange', { channel_id: Id })

export const sidebar = {
  get: operation({
    method: 'GET',
    path: '/v2/sidebar',
    depends: 'personal',
    summary: 'Get your favorite channels and the order of the others.',
    description: 'Channels that you can no longer see, and archived ones, are left out.',
    access: 'read',
    output: Sidebar,
    errors: ['forbidden'],
  }),
  set: operation({
    method: 'PUT',
    path: '/v2/sidebar/:channel_id',
    effect: 'personal',
    summary: 'Make a channel a favorite or not, or move it.',
    description: `Nobody else sees it. A new favorite without \`before_id\` comes last. The first time you move one of the other channels, the order that they are in is kept, too. You can have up to ${MAX_FAVORITES} favorites, and put up to ${MAX_SORTED_CHANNELS.toLocaleString('en')} other channels in an order. If nothing changes, there is no event.`,
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ channel_id: Id }),
    body: Body({
      is_favorite: Type.Boolean({ description: 'Whether it is one of your favorites.' }),
      before_id: Type.Optional(
        Nullable(
          Id,
          'The channel of the same section that it comes before; null puts it last. Left out: it keeps its place.',
        ),
      ),
    }),
    output: Sidebar,
    errors: ['not_found', 'forbidden'],
  }),
  reset: operation({
    method: 'DELETE',
    path: '/v2/sidebar/:channel_id',
    effect: 'personal',
    summary: 'Forget where you put a channel.',
    description: 'It is no favorite, and follows the channels you put in an order by name. Leaving it does the same.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ channel_id: Id }),
    output: Sidebar,
    errors: ['not_found', 'forbidden'],
  }),
}
