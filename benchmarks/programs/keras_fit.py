"""Keras on JAX: fit, evaluate, save and load."""

import os
import tempfile

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

x = np.random.default_rng(0).normal(size=(512, 16)).astype("float32")
y = (x.sum(1) > 0).astype("int32")
model = keras.Sequential(
    [
        keras.Input((16,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dropout(0.1),
        keras.layers.Dense(2),
    ]
)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer=keras.optimizers.Adam(1e-2), loss=loss, metrics=["accuracy"])
model.fit(x, y, epochs=3, batch_size=64, verbose=2, validation_split=0.25)
accuracy = model.evaluate(x, y, verbose=0)[1]
with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model.keras")
    again = keras.models.load_model(f"{folder}/model.keras").evaluate(x, y, verbose=0)[1]
print("learned:", accuracy > 0.9, "the same after loading:", again == accuracy)
