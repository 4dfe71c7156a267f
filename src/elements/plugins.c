/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and callbacks from shared objects. */
#include "elements/registry.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Keep the handle so that the plug-in stays loaded as long as the registry. */
static torsor_status keep_handle(torsor_registry *registry, void *handle, torsor_error *error) {
  void **handles =
      realloc(registry->handles, (size_t)(registry->handle_count + 1) * sizeof *handles);
  if (!handles) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  registry->handles = handles;
  registry->handles[registry->handle_count++] = handle;
  return TORSOR_OK;
}

static torsor_status bind_callbacks(torsor_registry *registry, void *handle,
                                    const torsor_plugin_callback *c, const char *path,
                                    torsor_error *error) {
  const uint32_t *abi = dlsym(handle, "torsor_plugin_callbacks_abi");
  torsor_status status = TORSOR_OK;
  if (!abi || *abi != TORSOR_ELEMENT_ABI)
    return torsor_fail(error, TORSOR_PLUGIN,
                       "%s has callbacks built for ABI version %u, this library has %u: build it "
                       "again",
                       path, abi ? (unsigned)*abi : 0, (unsigned)TORSOR_ELEMENT_ABI);
  for (; c->name && !status; ++c)
    status = torsor_registry_bind(registry, c->name, &c->callback, error);
  return status == TORSOR_ARGUMENT ? TORSOR_PLUGIN : status;
}

torsor_status torsor_registry_load(torsor_registry *registry, const char *path,
                                   torsor_error *error) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    torsor_fail(error, TORSOR_PLUGIN, "cannot load plug-in: %s", dlerror());
    torsor_hint(error, "give the path of a shared object, e.g. ./my_joint.so");
    return TORSOR_PLUGIN;
  }
  torsor_status status = keep_handle(registry, handle, error);
  if (status) {
    dlclose(handle);
    return status;
  }
  const torsor_plugin_table *plugin = dlsym(handle, "torsor_plugin");
  const torsor_plugin_callback *callback = dlsym(handle, "torsor_plugin_callbacks");
  if ((!plugin || !plugin->types) && !callback)
    return torsor_fail(error, TORSOR_PLUGIN,
                       "%s exports no table \"torsor_plugin\" or \"torsor_plugin_callbacks\"",
                       path);
  if (callback) status = bind_callbacks(registry, handle, callback, path, error);
  if (status || !plugin || !plugin->types) return status;
  if (plugin->abi != TORSOR_ELEMENT_ABI)
    return torsor_fail(error, TORSOR_PLUGIN,
                       "%s was built for ABI version %u, this library has %u: build it again", path,
                       (unsigned)plugin->abi, (unsigned)TORSOR_ELEMENT_ABI);
  for (int i = 0; plugin->types[i]; ++i) {
    status = torsor_registry_add(registry, plugin->types[i], error);
    if (status) return status;
  }
  return TORSOR_OK;
}
