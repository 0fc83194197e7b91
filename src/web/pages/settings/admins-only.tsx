import { Button } from '../../parts/button'
import { Empty } from '../../parts/states'

/** Shown to members who cannot have webhooks. */
export const AdminsOnly = () => (
  <Empty
    title="Only admins can manage webhooks"
    action={
      <Button icon="plus" disabledReason="Only admins can do this.">
        New webhook
      </Button>
    }
  >
    A webhook sends events to a URL. Ask an admin to set one up.
  </Empty>
)
