import { Button } from '../../parts/button'
import { Empty } from '../../parts/states'

/** Shown to members who cannot have webhooks. */
export const AdminsOnly = () => (
  <Empty
    title="Webhooks are for admins"
    action={
      <Button icon="plus" disabledReason="Only admins can do this.">
        New webhook
      </Button>
    }
  >
    A webhook sends what happens here to an address. Ask an admin for one.
  </Empty>
)
